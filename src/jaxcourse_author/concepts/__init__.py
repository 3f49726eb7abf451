"""Which concepts the course has, which section explains each and which sections use it: the road through the course."""

from jaxcourse_author.concepts._file import CONCEPTS as CONCEPTS
from jaxcourse_author.concepts._file import Concept as Concept
from jaxcourse_author.concepts._file import Concepts as Concepts
from jaxcourse_author.concepts._file import read_concepts as read_concepts
from jaxcourse_author.concepts._problems import problems as problems
from jaxcourse_author.concepts._road import Road as Road
from jaxcourse_author.concepts._road import Row as Row
from jaxcourse_author.concepts._road import Stop as Stop
from jaxcourse_author.concepts._road import road_of as road_of
from jaxcourse_author.concepts._table import table as table
from jaxcourse_author.concepts._table import way_table as way_table
from jaxcourse_author.concepts._uses import Use as Use
from jaxcourse_author.concepts._ways import way_before as way_before
from jaxcourse_author.concepts._ways import way_to as way_to

__all__ = [
    "CONCEPTS",
    "Concept",
    "Concepts",
    "Road",
    "Row",
    "Stop",
    "Use",
    "problems",
    "read_concepts",
    "road_of",
    "table",
    "way_before",
    "way_table",
    "way_to",
]
