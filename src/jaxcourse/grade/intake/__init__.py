"""What was handed in: files are found and opened, and assigned to students and lessons; then it is decided which count.

`take_in` does all of it. A file is opened with limits and never unpacked, a notebook is read whatever state it is in,
and nothing in it is run. `match` says who is who on a roster or on the form of a learning platform.
"""

from jaxcourse.grade.intake._intake import Intake as Intake
from jaxcourse.grade.intake._intake import take_in as take_in
from jaxcourse.grade.intake._read import Choice as Choice
from jaxcourse.grade.intake._read import Lessons as Lessons
from jaxcourse.grade.intake._roster import Person as Person
from jaxcourse.grade.intake._roster import Roster as Roster
from jaxcourse.grade.intake._roster import match as match
from jaxcourse.grade.intake._roster import read_roster as read_roster

__all__ = ["Choice", "Intake", "Lessons", "Person", "Roster", "match", "read_roster", "take_in"]
