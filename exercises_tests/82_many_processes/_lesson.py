"""What the exercises of lesson 82 share."""

from jaxcourse import launch
from jaxcourse.checks import refuse

WORDS = """
different-things: The processes meet for different things. All must do the same, in order.
left-waiting: A process waits in `exchange` for another one that has ended. With real processes it would wait until a
    time limit ends both.
"""


def rehearsed(student_function, count, *arguments):
    """What a program returns in each of some processes that threads play, and who waits for whom."""
    run = launch.rehearse(student_function, count, *arguments)
    if run.error:
        raise run.error
    results = [list(result) if isinstance(result, (list, tuple)) else result for result in run.results]
    return {"results": results, "trouble": run.trouble}


def require_no_trouble(trouble):
    """Require that nobody is left waiting, and that all met for the same things."""
    refuse("different things" in trouble, "different-things")
    refuse(trouble, "left-waiting")
