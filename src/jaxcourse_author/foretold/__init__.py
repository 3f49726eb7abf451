"""How often `before` was right: thirty functions, said before and measured after.

`python -m jaxcourse_author.foretold book/before.json` says and measures them on this machine, in the place of what was
found with the same version of JAX, and the page *Before you run it* shows all versions.
"""

from jaxcourse_author.foretold._functions import CASES as CASES
from jaxcourse_author.foretold._functions import Case as Case
from jaxcourse_author.foretold._judge import Forecast as Forecast
from jaxcourse_author.foretold._judge import Record as Record
from jaxcourse_author.foretold._judge import Records as Records
from jaxcourse_author.foretold._judge import judge as judge
from jaxcourse_author.foretold._judge import read as read
from jaxcourse_author.foretold._judge import write as write

__all__ = ["CASES", "Case", "Forecast", "Record", "Records", "judge", "read", "write"]
