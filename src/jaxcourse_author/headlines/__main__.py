"""`python -m jaxcourse_author.headlines NAME` measures one headline and prints it as JSON."""

import sys

from jaxcourse_author.headlines._measure import main

if __name__ == "__main__":
    sys.exit(main())
