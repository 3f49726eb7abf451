"""The proof that lessons and checks hold together, rule by rule. `jaxcourse check` runs the same rules.

The slow one, which runs whole notebooks, is asked in tests/grade/test_parity.py, where the same run shows more.
"""

import gc
import os
from pathlib import Path

import jax
import pytest

from jaxcourse import devices
from jaxcourse.course import Course
from jaxcourse.insides import compile_quickly, programs_kept
from jaxcourse_author.rules import RULES, Contract

compile_quickly()
devices.simulate()  # the set-up of some lessons asks for several, and one of another lesson may come first

ROOT = Path(__file__).parents[1]
STEMS = [path.stem for path in Course(ROOT).lesson_paths]


@pytest.fixture(scope="module", autouse=True)
def programs(tmp_path_factory):
    """A rule judges what another one has judged, perhaps in another worker: each program is compiled once."""
    mine = tmp_path_factory.getbasetemp()
    with programs_kept((mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / "programs"):
        yield


_kept = {}


def contract(*stems):
    """The rules of one lesson run one after the other; the lesson before is forgotten, and what JAX has kept of it.

    A process that keeps all of them grows to several gigabytes, in which each look of the collector takes longer.
    """
    if stems not in _kept:
        _kept.clear()
        jax.clear_caches()
        gc.collect()
        _kept[stems] = Contract(ROOT, stems)
    return _kept[stems]


def refuses_nothing(rule, *stems):
    refusals = "\n".join(map(str, rule.refusals(contract(*stems))))
    assert not refusals, refusals


def rules(**kind):
    chosen = [rule for rule in RULES if all(getattr(rule, name) == value for name, value in kind.items())]
    return pytest.mark.parametrize("rule", chosen, ids=lambda rule: rule.name)


@rules(per="course")
def test_course(rule):
    refuses_nothing(rule)


@pytest.mark.xdist_group("kept-together")
def test_groups_stay_with_one_worker(request):
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("no groups are asked for: `make test` does")
    message = "This pytest-xdist ignores `xdist_group`, so that every worker judges the answers of every lesson."
    assert request.node.nodeid.endswith("@kept-together"), message


# One worker judges all of a lesson, so that no answer is judged twice.
@pytest.mark.parametrize("stem", [pytest.param(stem, marks=pytest.mark.xdist_group(stem)) for stem in STEMS])
@rules(per="lesson", slow=False, advice=False)
def test_lesson(stem, rule):
    refuses_nothing(rule, stem)


@pytest.mark.parametrize("stem", [pytest.param(stem, marks=pytest.mark.xdist_group(stem)) for stem in STEMS])
@rules(per="lesson", slow=False, advice=True)
def test_our_own_lessons_lack_nothing_that_a_first_version_may_lack(stem, rule):
    refuses_nothing(rule, stem)
