"""What runs beside a student: the verbs, the panels that they show, and what is installed."""

from jaxcourse.notebook._files import bring as bring
from jaxcourse.notebook._record import PROGRESS_FILE as PROGRESS_FILE
from jaxcourse.notebook._stack import stack as stack
from jaxcourse.notebook._verbs import CheckFailed as CheckFailed
from jaxcourse.notebook._verbs import ask as ask
from jaxcourse.notebook._verbs import check as check
from jaxcourse.notebook._verbs import hint as hint
from jaxcourse.notebook._verbs import passed_answer as passed_answer
from jaxcourse.notebook._verbs import progress as progress
from jaxcourse.notebook._verbs import solution as solution
