"""What is asked of an answer, and the one door through which it is asked.

A check never touches a student's object. It asks questions through a *door*: a question is a function that runs
where the student's code lives, and its reply is plain data. In a notebook the door is a plain call; a grader
can put another process behind it without changing a line of any check.
"""

from jaxcourse.probe._answer import Answer as Answer
from jaxcourse.probe._answer import AnswerRaised as AnswerRaised
from jaxcourse.probe._answer import Refused as Refused
from jaxcourse.probe._answer import require_self_contained as require_self_contained
from jaxcourse.probe._door import PRINT_LIMIT as PRINT_LIMIT
from jaxcourse.probe._door import Door as Door
from jaxcourse.probe._door import NotPortable as NotPortable
from jaxcourse.probe._door import Raised as Raised
from jaxcourse.probe._door import Reply as Reply
from jaxcourse.probe._door import describe as describe
from jaxcourse.probe._door import describe_error as describe_error
from jaxcourse.probe._door import identical as identical
from jaxcourse.probe._door import local_door as local_door
from jaxcourse.probe._door import portable as portable
from jaxcourse.probe._programs import compiled as compiled
from jaxcourse.probe._programs import leaks as leaks
from jaxcourse.probe._programs import primitives as primitives
from jaxcourse.probe._programs import program as program
from jaxcourse.probe._programs import reuses_key as reuses_key
from jaxcourse.probe._programs import traced as traced
from jaxcourse.probe._programs import with_and_without_jit as with_and_without_jit
from jaxcourse.probe._questions import call as call
from jaxcourse.probe._questions import itself as itself
from jaxcourse.probe._questions import kind as kind
from jaxcourse.probe._questions import layout as layout
from jaxcourse.probe._questions import result_type as result_type
from jaxcourse.probe._questions import written as written
