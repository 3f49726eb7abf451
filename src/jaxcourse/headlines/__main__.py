"""`python -m jaxcourse.headlines NAME` measures one headline and prints it as JSON."""

import sys

from jaxcourse.headlines._measure import main

if __name__ == "__main__":
    sys.exit(main())
