"""What whoever teaches a lesson needs beside it: what to show, what to ask, what goes wrong, what can be left out."""

from jaxcourse_author.teach._drawn import drawn_anew as drawn_anew
from jaxcourse_author.teach._file import TEACH as TEACH
from jaxcourse_author.teach._file import Live as Live
from jaxcourse_author.teach._file import Peers as Peers
from jaxcourse_author.teach._file import Plan as Plan
from jaxcourse_author.teach._file import read_plans as read_plans
from jaxcourse_author.teach._found import PAGE as PAGE
from jaxcourse_author.teach._found import Choice as Choice
from jaxcourse_author.teach._found import PeerQuestion as PeerQuestion
from jaxcourse_author.teach._found import PlanError as PlanError
from jaxcourse_author.teach._found import cells as cells
from jaxcourse_author.teach._found import choices as choices
from jaxcourse_author.teach._found import peer_question as peer_question
from jaxcourse_author.teach._found import problems as problems
from jaxcourse_author.teach._known import Misconception as Misconception
from jaxcourse_author.teach._known import misconceptions as misconceptions
from jaxcourse_author.teach._spare import spare as spare

__all__ = [
    "PAGE",
    "TEACH",
    "PeerQuestion",
    "Choice",
    "Live",
    "Misconception",
    "Peers",
    "Plan",
    "PlanError",
    "peer_question",
    "cells",
    "choices",
    "drawn_anew",
    "misconceptions",
    "problems",
    "read_plans",
    "spare",
]
