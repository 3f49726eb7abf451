"""`python -m jaxcourse_author.recorded PIECE` measures one piece and prints lines of JSON."""

import sys

from jaxcourse_author.recorded._measure import main

if __name__ == "__main__":
    sys.exit(main())
