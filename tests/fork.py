"""A fork, made as `book/for_instructors.md` says: an address and a title, seven lessons, and one of its own.

Its own lesson has an exercise and reads a file. What the tests demand of the fork, whoever follows the pages fulfils.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from toy import ANSWERS, CHECK, LESSON

ROOT = Path(__file__).parents[1]
TITLE = "Arrays for physicists"
"""The example of the pages for instructors, which their readers copy."""
TAUGHT = (
    "00_start_here",
    "10_memory_layout",
    "11_broadcasting",
    "12_from_numpy_to_jax",
    "20_jit_stages",
    "31_vmap",
    "32_autodiff",
)
OWN = "95_pendulum"
_LEFT = (".*", "_build", "__pycache__", "dist", "*.egg-info")
_KEPT = (".github", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", ".ci")
_RUNS = "length\n2\n"
_OWN = LESSON.replace("after: double a number", "files: [pendulum.csv]\nafter: double a number").replace(
    "import numpy as np\n", "import numpy as np\n\nfactor = float(np.loadtxt('pendulum.csv', skiprows=1))\n", 1
)
_IDEA = "- {idea: Twice, about: Twice is one more time., trains: [doubling]}\n"

WHOLE = ("tests/course", "tests/notebook", "tests/test_repository.py")
"""The tests that know pages, titles, addresses and lessons."""


def make(root: Path) -> Path:
    """Make a fork in a folder that is not there yet.

    Args:
        root: the folder.
    """
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*_LEFT))
    for name in _KEPT:
        if (path := ROOT / name).exists():
            (shutil.copytree if path.is_dir() else shutil.copy)(path, root / name)
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    command(root, "address", "uni/numerics", "--title", TITLE)
    contents = root / "_toc.yml"
    contents.write_text(_with_some(contents.read_text(encoding="utf-8")), encoding="utf-8")
    command(root, "new", "lesson", OWN, "Our pendulum")
    files = {
        f"notebooks/{OWN}.md": _OWN,
        "notebooks/pendulum.csv": _RUNS,
        f"exercises_tests/{OWN}/double_it.py": CHECK,
        f"tests/answers/{OWN}/double_it.py": ANSWERS,
        "book/ideas.yml": (root / "book" / "ideas.yml").read_text(encoding="utf-8") + _IDEA,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    command(root, "notebooks")
    return root


def _with_some(contents: str) -> str:
    """A table of contents without the lines of the lessons that are not taught, and of parts that are empty then."""
    lines = [line for line in contents.splitlines() if _is_kept(line)]
    parts = re.split(r"(?m)^(?=  - caption:)", "\n".join(lines) + "\n")
    return parts[0] + "".join(part for part in parts[1:] if "- file:" in part)


def _is_kept(line: str) -> bool:
    stem = re.search(r"file: notebooks/(\w+)", line)
    return stem is None or stem[1] in TAUGHT


def command(root: Path, *words: str) -> None:
    """Run `jaxcourse` in the fork, with the fork's own package.

    Raises:
        subprocess.CalledProcessError: it fails.
    """
    subprocess.run([sys.executable, "-m", "jaxcourse", *words], cwd=root, env=environment(root), check=True)


def ask(root: Path, tests: Sequence[str], *options: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of some of the fork's tests.

    Args:
        root: the fork's folder.
        tests: files, folders or single tests.
        options: more of pytest's.
    """
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *tests]
    return subprocess.run(words, cwd=root, env=environment(root), check=False, capture_output=True, text=True)


def environment(root: Path) -> dict[str, str]:
    """The environment, in which `jaxcourse` is the fork's."""
    return {**os.environ, "PYTHONPATH": str(root / "src"), "JAXCOURSE_COURSE": ""}
