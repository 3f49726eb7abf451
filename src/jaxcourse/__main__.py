"""`python -m jaxcourse` is the `jaxcourse` command."""

import sys

from jaxcourse.cli import main

if __name__ == "__main__":
    sys.exit(main())
