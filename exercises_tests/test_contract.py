"""The proof that lessons and checks hold together, rule by rule. `jaxcourse check` runs the same rules."""

from pathlib import Path

import pytest

from jaxcourse.contract import RULES, Contract


@pytest.fixture(scope="module")
def contract():
    return Contract(Path(__file__).parents[1])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_contract(contract, rule):
    refusals = "\n".join(map(str, rule(contract)))
    assert not refusals, refusals
