"""What is asked of an answer, and the one channel through which it is asked.

A check never touches a student's object. It asks questions through a *channel*: a question is a function that runs
where the student's code lives, and its reply is plain data. In a notebook, the channel is a plain call; a grader
can put another process behind it without changing a line of any check.
"""

from jaxcourse.probe._answer import NEEDS_A_NUMBER as NEEDS_A_NUMBER
from jaxcourse.probe._answer import NEEDS_A_SHAPE as NEEDS_A_SHAPE
from jaxcourse.probe._answer import NEEDS_A_VALUE as NEEDS_A_VALUE
from jaxcourse.probe._answer import Answer as Answer
from jaxcourse.probe._answer import AnswerRaised as AnswerRaised
from jaxcourse.probe._answer import Refused as Refused
from jaxcourse.probe._answer import Stumbled as Stumbled
from jaxcourse.probe._answer import require_self_contained as require_self_contained
from jaxcourse.probe._channel import NOT_THE_STUDENTS as NOT_THE_STUDENTS
from jaxcourse.probe._channel import PRINT_LIMIT as PRINT_LIMIT
from jaxcourse.probe._channel import Channel as Channel
from jaxcourse.probe._channel import NotPortable as NotPortable
from jaxcourse.probe._channel import Raised as Raised
from jaxcourse.probe._channel import Reply as Reply
from jaxcourse.probe._channel import describe as describe
from jaxcourse.probe._channel import describe_error as describe_error
from jaxcourse.probe._channel import identical as identical
from jaxcourse.probe._channel import is_really as is_really
from jaxcourse.probe._channel import local_channel as local_channel
from jaxcourse.probe._channel import portable as portable
from jaxcourse.probe._channel import safe_to_jit as safe_to_jit
from jaxcourse.probe._code import filled as filled
from jaxcourse.probe._code import functions_of as functions_of
from jaxcourse.probe._code import globals_of as globals_of
from jaxcourse.probe._code import inner as inner
from jaxcourse.probe._code import whole_numbers as whole_numbers
from jaxcourse.probe._devices import called_on_mesh as called_on_mesh
from jaxcourse.probe._devices import communicated as communicated
from jaxcourse.probe._devices import copies_are_equal as copies_are_equal
from jaxcourse.probe._devices import held as held
from jaxcourse.probe._devices import mesh_of as mesh_of
from jaxcourse.probe._devices import on_mesh as on_mesh
from jaxcourse.probe._devices import partitioned as partitioned
from jaxcourse.probe._devices import pieces as pieces
from jaxcourse.probe._devices import placing as placing
from jaxcourse.probe._devices import prepared as prepared
from jaxcourse.probe._keys import key_uses as key_uses
from jaxcourse.probe._lending import Lending as Lending
from jaxcourse.probe._lending import buffer_like as buffer_like
from jaxcourse.probe._memory import most_asked_for as most_asked_for
from jaxcourse.probe._programs import compiled as compiled
from jaxcourse.probe._programs import compiles as compiles
from jaxcourse.probe._programs import facts as facts
from jaxcourse.probe._programs import in_one_program as in_one_program
from jaxcourse.probe._programs import jitted as jitted
from jaxcourse.probe._programs import leaks as leaks
from jaxcourse.probe._programs import leaves_jax as leaves_jax
from jaxcourse.probe._programs import primitives as primitives
from jaxcourse.probe._programs import program as program
from jaxcourse.probe._programs import reuses_key as reuses_key
from jaxcourse.probe._programs import traced as traced
from jaxcourse.probe._programs import with_and_without_jit as with_and_without_jit
from jaxcourse.probe._question import Evidence as Evidence
from jaxcourse.probe._question import Question as Question
from jaxcourse.probe._question import declared as declared
from jaxcourse.probe._question import is_ours as is_ours
from jaxcourse.probe._question import question as question
from jaxcourse.probe._questions import call as call
from jaxcourse.probe._questions import code_facts as code_facts
from jaxcourse.probe._questions import itself as itself
from jaxcourse.probe._questions import kind as kind
from jaxcourse.probe._questions import layout as layout
from jaxcourse.probe._questions import on_device as on_device
from jaxcourse.probe._questions import on_jax_arrays as on_jax_arrays
from jaxcourse.probe._questions import result_type as result_type
from jaxcourse.probe._questions import under_jit as under_jit
from jaxcourse.probe._spending import spending as spending
from jaxcourse.probe._spending import spent as spent
from jaxcourse.probe._views import put_together as put_together
from jaxcourse.probe._work import calls as calls
from jaxcourse.probe._work import python_steps as python_steps
