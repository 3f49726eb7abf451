"""The proof that lessons and checks hold together, rule by rule. `jaxcourse check` runs the same rules."""

from pathlib import Path

import pytest

from jaxcourse.contract import NOTEBOOK_RULES, RULES, Contract

ROOT = Path(__file__).parents[1]
STEMS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.md"))


def refuses_nothing(rule, contract):
    refusals = "\n".join(map(str, rule(contract)))
    assert not refusals, refusals


@pytest.fixture(scope="module")
def contract():
    return Contract(ROOT)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in NOTEBOOK_RULES], ids=lambda rule: rule.__name__)
def test_contract(contract, rule):
    refuses_nothing(rule, contract)


@pytest.mark.parametrize("rule", NOTEBOOK_RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("stem", STEMS)
def test_notebooks(stem, rule):
    refuses_nothing(rule, Contract(ROOT, (stem,)))
