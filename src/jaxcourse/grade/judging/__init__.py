"""One submission's marks: the checks, the expected values and the comparison, out of reach of what is judged.

A `Judge` grades submissions of one course, each in a process of `isolation`; `versions` and `fingerprint` say what they
were judged by.
"""

from jaxcourse.grade.judging._course import cache_folder as cache_folder
from jaxcourse.grade.judging._course import fingerprint as fingerprint
from jaxcourse.grade.judging._course import solutions as solutions
from jaxcourse.grade.judging._course import targets as targets
from jaxcourse.grade.judging._course import versions as versions
from jaxcourse.grade.judging._judge import CourseFault as CourseFault
from jaxcourse.grade.judging._judge import Judge as Judge

__all__ = ["CourseFault", "Judge", "cache_folder", "fingerprint", "solutions", "targets", "versions"]
