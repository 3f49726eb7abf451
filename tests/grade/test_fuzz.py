"""A short run of the fuzzer; the long one is `python tests/grade/fuzz.py --minutes 5`."""

import fuzz
import pytest

pytestmark = pytest.mark.lessons(*fuzz.STEMS)
FOUND = [664, 916, 1116, 1381, 1668]
"""Mutants that did harm once."""


@pytest.mark.parametrize("numbers", [range(20), range(20, 40), range(40, 60), FOUND])
def test_mutants_harm_nobody(numbers, tmp_path):
    assert [flaw for number in numbers if (flaw := fuzz.trial(number, tmp_path))] == []


def test_a_trial_can_be_had_again(tmp_path):
    for number in range(10):
        for once in ("one", "two"):
            (tmp_path / f"{once}{number}").mkdir()
            fuzz.hand_in(tmp_path / f"{once}{number}", number)
        one, two = (sorted((tmp_path / f"{once}{number}").rglob("*.*")) for once in ("one", "two"))
        assert [path.read_bytes() for path in one if path.is_file()] == [p.read_bytes() for p in two if p.is_file()]


def test_what_the_nets_would_catch_is_a_flaw(tmp_path, monkeypatch):
    def breaks(*_):
        raise KeyError("broken")

    monkeypatch.setattr(fuzz.intake._intake, "glance", breaks)
    assert fuzz.trial(0, tmp_path).startswith("trial 0: Flaw: KeyError: 'broken'")
