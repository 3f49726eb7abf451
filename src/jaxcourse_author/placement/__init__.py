"""Where a reader begins: what `book/placement.yml` asks, and which sections right answers let one skip."""

from jaxcourse_author.placement._file import PLACEMENT as PLACEMENT
from jaxcourse_author.placement._file import Advice as Advice
from jaxcourse_author.placement._file import Block as Block
from jaxcourse_author.placement._file import Pool as Pool
from jaxcourse_author.placement._file import Question as Question
from jaxcourse_author.placement._file import read_pool as read_pool
from jaxcourse_author.placement._problems import problems as problems
from jaxcourse_author.placement._taught import entry_of as entry_of
from jaxcourse_author.placement._taught import taught_questions as taught_questions

__all__ = ["PLACEMENT", "Advice", "Block", "Pool", "Question", "entry_of", "problems", "read_pool", "taught_questions"]
