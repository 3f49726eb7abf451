"""The proof that lessons and checks hold together, rule by rule. `jaxcourse check` runs the same rules."""

import functools
import os
from pathlib import Path

import pytest

from jaxcourse._compilations import programs_kept
from jaxcourse.contract import RULES, Contract

ROOT = Path(__file__).parents[1]
STEMS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.md"))
OF_THE_COURSE = [
    Contract.files_belong_together,
    Contract.labels_are_unique,
    Contract.names_are_unique,
    Contract.notebooks_are_fresh,
]
"""Rules that hold between lessons; the others hold in each."""


@pytest.fixture(scope="module", autouse=True)
def programs(tmp_path_factory):
    """A rule judges what another one has judged, perhaps in another worker: each program is compiled once."""
    mine = tmp_path_factory.getbasetemp()
    with programs_kept((mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / "programs"):
        yield


@functools.cache
def contract(*stems):
    return Contract(ROOT, stems)


def refuses_nothing(rule, *stems):
    refusals = "\n".join(map(str, rule(contract(*stems))))
    assert not refusals, refusals


@pytest.mark.parametrize("rule", OF_THE_COURSE, ids=lambda rule: rule.__name__)
def test_course(rule):
    refuses_nothing(rule)


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in OF_THE_COURSE], ids=lambda rule: rule.__name__)
def test_lesson(rule, stem):
    refuses_nothing(rule, stem)
