"""What was handed in: files are found and opened, and assigned to students and lessons; then it is decided which count.

`take_in` does all of it. A file is opened with limits and never unpacked, a notebook is read whatever state it is in,
and nothing in it is run. `match` says who is who on a roster or on the form of a learning platform;
`read_marks` and `decide` bring in what a teacher decided, `read_shares` and `with_shares` what known mistakes are still
worth, `read_frozen` which lessons are finished, `due_times` when a lesson was due.
"""

from jaxcourse_grade.intake._decisions import Decided as Decided
from jaxcourse_grade.intake._decisions import decide as decide
from jaxcourse_grade.intake._decisions import due_times as due_times
from jaxcourse_grade.intake._decisions import read_marks as read_marks
from jaxcourse_grade.intake._find import PAGE as PAGE
from jaxcourse_grade.intake._frozen import read_frozen as read_frozen
from jaxcourse_grade.intake._intake import Intake as Intake
from jaxcourse_grade.intake._intake import take_in as take_in
from jaxcourse_grade.intake._lessons import Lessons as Lessons
from jaxcourse_grade.intake._lessons import Taught as Taught
from jaxcourse_grade.intake._lessons import earlier as earlier
from jaxcourse_grade.intake._lessons import exercise_today as exercise_today
from jaxcourse_grade.intake._lessons import home_of as home_of
from jaxcourse_grade.intake._lessons import today as today
from jaxcourse_grade.intake._published import Ours as Ours
from jaxcourse_grade.intake._read import Choice as Choice
from jaxcourse_grade.intake._roster import Person as Person
from jaxcourse_grade.intake._roster import Roster as Roster
from jaxcourse_grade.intake._roster import match as match
from jaxcourse_grade.intake._roster import read_roster as read_roster
from jaxcourse_grade.intake._shares import Share as Share
from jaxcourse_grade.intake._shares import met as met
from jaxcourse_grade.intake._shares import read_shares as read_shares
from jaxcourse_grade.intake._shares import with_shares as with_shares
from jaxcourse_grade.intake._text import kind_of as kind_of
from jaxcourse_grade.intake._times import in_zone as in_zone

__all__ = [
    "PAGE",
    "Choice",
    "Decided",
    "Intake",
    "Lessons",
    "Ours",
    "Person",
    "Roster",
    "Share",
    "Taught",
    "decide",
    "due_times",
    "earlier",
    "exercise_today",
    "home_of",
    "in_zone",
    "kind_of",
    "match",
    "met",
    "read_frozen",
    "read_marks",
    "read_roster",
    "read_shares",
    "take_in",
    "today",
    "with_shares",
]
