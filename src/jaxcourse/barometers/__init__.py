"""Barometers of forty volunteers, and a wave that crosses all of them: what the last lesson works on.

`simulate` makes what comes in, from a seed, with everything that is wrong with it. `predict` is a network that knows
quiet weather. `begin` gives what a step needs of the steps before it, and `sighted` goes through all of them.
"""

from jaxcourse.barometers._begin import begin as begin
from jaxcourse.barometers._budget import BUDGET as BUDGET
from jaxcourse.barometers._budget import Budget as Budget
from jaxcourse.barometers._budget import BudgetReport as BudgetReport
from jaxcourse.barometers._budget import budget_report as budget_report
from jaxcourse.barometers._course import Sighting as Sighting
from jaxcourse.barometers._course import season as season
from jaxcourse.barometers._course import sighted as sighted
from jaxcourse.barometers._page import write_page as write_page
from jaxcourse.barometers._quiet import expected as expected
from jaxcourse.barometers._quiet import initial as initial
from jaxcourse.barometers._quiet import innovations as innovations
from jaxcourse.barometers._quiet import predict as predict
from jaxcourse.barometers._search import best_of as best_of
from jaxcourse.barometers._search import course_search as course_search
from jaxcourse.barometers._search import sums_at as sums_at
from jaxcourse.barometers._simulate import DAY as DAY
from jaxcourse.barometers._simulate import START as START
from jaxcourse.barometers._simulate import Network as Network
from jaxcourse.barometers._simulate import Truth as Truth
from jaxcourse.barometers._simulate import simulate as simulate
from jaxcourse.barometers._sphere import EARTH as EARTH
from jaxcourse.barometers._sphere import distance as distance
from jaxcourse.barometers._sphere import nodes as nodes
from jaxcourse.barometers._sphere import wave_shape as wave_shape
from jaxcourse.barometers._steps import UNIT as UNIT
from jaxcourse.barometers._steps import wave_at as wave_at
