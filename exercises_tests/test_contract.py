"""The proof that lessons and checks hold together, rule by rule. `jaxcourse check` runs the same rules.

The slow one, which runs whole notebooks, is asked in tests/grade/test_parity.py, where the same run shows more.
"""

import gc
import os
from pathlib import Path

import jax
import pytest
from touched import CHANGE

from jaxcourse import devices
from jaxcourse.course import Course
from jaxcourse.insides import compile_quickly, programs_kept
from jaxcourse_author.rules import RULES, SEEDS, Contract

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


def contract(config, *stems):
    """The rules of one lesson run one after the other; the lesson before is forgotten, and what JAX has kept of it.

    A process that keeps all of them grows to several gigabytes, in which each look of the collector takes longer.
    `make test` asks some of the answers on one draw (tests/left_out.py), and `make test-quick` what a change reaches.
    """
    if stems not in _kept:
        _kept.clear()
        jax.clear_caches()
        gc.collect()
        change = config.stash.get(CHANGE, None)
        only = change.only(*stems) if change and stems else stems
        some = config.getoption("leave_out")
        _kept[stems] = Contract(ROOT, only, seeds=1 if some else SEEDS, everything=not some)
    return _kept[stems]


def refuses_nothing(request, rule, *stems):
    refusals = "\n".join(map(str, rule.refusals(contract(request.config, *stems))))
    assert not refusals, refusals


NOT_YET = "concepts_are_explained_before_they_are_used"
"""As long as this rule is advice, our own lessons may lack it: sections move until nothing is used too early."""


def rules(**kind):
    asked = [rule for rule in RULES if not (rule.advice and rule.name == NOT_YET)]
    chosen = [rule for rule in asked if all(getattr(rule, name) == value for name, value in kind.items())]
    return pytest.mark.parametrize("rule", chosen, ids=lambda rule: rule.name)


@rules(per="course")
def test_course(rule, request):
    refuses_nothing(request, rule)


@pytest.mark.xdist_group("kept-together")
def test_groups_stay_with_one_worker(request):
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("no groups are asked for: `make test` does")
    message = "This pytest-xdist ignores `xdist_group`, so that every worker judges the answers of every lesson."
    assert request.node.nodeid.endswith("@kept-together"), message


# One worker judges all of a lesson, so that no answer is judged twice.
@pytest.mark.parametrize("stem", [pytest.param(stem, marks=pytest.mark.xdist_group(stem)) for stem in STEMS])
@rules(per="lesson", slow=False, advice=False)
def test_lesson(stem, rule, request):
    refuses_nothing(request, rule, stem)


@pytest.mark.parametrize("stem", [pytest.param(stem, marks=pytest.mark.xdist_group(stem)) for stem in STEMS])
@rules(per="lesson", slow=False, advice=True)
def test_our_own_lessons_lack_nothing_that_a_first_version_may_lack(stem, rule, request):
    refuses_nothing(request, rule, stem)
