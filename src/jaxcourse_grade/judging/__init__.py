"""One submission's marks: the checks, the expected values and the comparison, out of reach of what is judged.

A `Grader` grades submissions of one course, each in a process of `isolation`; `versions` and `fingerprint` say what
they were judged by.
"""

from jaxcourse_grade.judging._course import cache_folder as cache_folder
from jaxcourse_grade.judging._course import fingerprint as fingerprint
from jaxcourse_grade.judging._course import solutions as solutions
from jaxcourse_grade.judging._course import targets as targets
from jaxcourse_grade.judging._course import versions as versions
from jaxcourse_grade.judging._decides import LIBRARIES as LIBRARIES
from jaxcourse_grade.judging._decides import decides as decides
from jaxcourse_grade.judging._decides import parts as parts
from jaxcourse_grade.judging._grader import CourseFault as CourseFault
from jaxcourse_grade.judging._grader import Grader as Grader
from jaxcourse_grade.judging._lacking import is_here as is_here

__all__ = [
    "LIBRARIES",
    "decides",
    "CourseFault",
    "Grader",
    "cache_folder",
    "fingerprint",
    "is_here",
    "parts",
    "solutions",
    "targets",
    "versions",
]
