"""A short run of the fuzzer; the long one is `python tests/grade/fuzz.py --minutes 5`."""

import fuzz
import pytest


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_mutants_harm_nobody(first, tmp_path):
    assert [flaw for number in range(first, first + 20) if (flaw := fuzz.trial(number, tmp_path))] == []


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
