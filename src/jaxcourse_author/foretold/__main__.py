"""`python -m jaxcourse_author.foretold FILE.json`: judge `before` on this machine."""

import sys
from pathlib import Path

from jaxcourse_author.foretold._judge import Records, judge, write

if __name__ == "__main__":
    record = judge()
    print(Records((record,)))
    if len(sys.argv) > 1:
        write(record, Path(sys.argv[1]))
