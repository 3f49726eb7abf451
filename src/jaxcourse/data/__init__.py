"""Two real tables that come with the course: carbon dioxide over Mauna Loa, and the weather of Seattle.

Both are in the public domain, and lie here as they were published: `SOURCES.md` beside them says where they are from,
and what each column means. Nothing is filled in: what was not measured is NaN.
"""

from jaxcourse.data._tables import Days as Days
from jaxcourse.data._tables import Weeks as Weeks
from jaxcourse.data._tables import mauna_loa as mauna_loa
from jaxcourse.data._tables import seattle as seattle
