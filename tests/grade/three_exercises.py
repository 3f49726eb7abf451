"""A course of one lesson, for the hostile class and the honest one: lesson 00 with three exercises of the course.

Two are its own, and the third, `least-time`, is lesson 12's: a second function, in which another attack may stand.
"""

import atexit
import functools
import re
import shutil
import tempfile
from pathlib import Path

from toy import CONFIG, TOC

from jaxcourse.course import ANSWERS, CHECKS, Course
from jaxcourse_author.lesson import notebooks

LESSON, OTHER = "00_start_here", "12_from_numpy_to_jax"
LEAST_TIME = re.compile(r"```\{exercise-start\}[^\n]*\n:label: least-time\n.*?```\{solution-end\}\n```\n", re.DOTALL)
BEHIND = "(a-bet)="
"""What of lesson 00 comes after its two exercises links to other lessons, which this course has not."""


@functools.cache
def three_exercises() -> Course:
    """The course, in a folder of its own that is gone when the tests are over."""
    root, here = Path(tempfile.mkdtemp()), Course.installed().root
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    source, other = (here / "notebooks" / f"{stem}.md" for stem in (LESSON, OTHER))
    (third,) = LEAST_TIME.findall(other.read_text(encoding="utf-8"))
    own = source.read_text(encoding="utf-8").partition(BEHIND)[0]
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC.replace("01_toy", LESSON),
        "book/index.md": "# Three exercises\n",
        f"notebooks/{LESSON}.md": f"{own}(ceilings)=\n## Ceilings\n\n{third}",
    }
    for folder in (CHECKS, ANSWERS):
        shutil.copytree(here / folder / LESSON, root / folder / LESSON, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(here / folder / OTHER / "least_time.py", root / folder / LESSON)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)
