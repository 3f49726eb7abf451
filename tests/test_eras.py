"""An old spelling beside today's: what is run, how it is shown, and which claims about versions are refused."""

import re
import xml.etree.ElementTree as ET

import numpy
import pytest

from jaxcourse_author import eras

WARNS = "import warnings\nwarnings.warn('old <news>', DeprecationWarning)\n1 + 1"


@pytest.mark.parametrize(
    ("code", "kind", "word", "shown"),
    [
        ("x = 2\nx * 3", "runs", "6", "6"),
        ("print('a')\n'b'", "runs", "a\n'b'", "a\n'b'"),
        ("x = 2", "runs", "", "runs"),
        ("def f(x: 1 + 1): pass\nf.__annotations__", "runs", "{'x': 2}", "{'x': 2}"),
        ("{}['x']", "raises", "KeyError", "KeyError: 'x'"),
        ("raise OSError('first\\nsecond')", "raises", "OSError", "OSError: first"),
        ("raise OSError('no x (/home/me/a.py)')", "raises", "OSError", "OSError: no x"),
        ("import nothing.such", "raises", "ModuleNotFoundError", "ModuleNotFoundError: No module named 'nothing'"),
        ("x = = 2", "raises", "SyntaxError", "SyntaxError: invalid syntax (<unknown>, line 1)"),
        (WARNS, "warns", "DeprecationWarning", "DeprecationWarning: old <news>\n2"),
    ],
)
def test_an_outcome_says_what_came_of_code(code: str, kind: str, word: str, shown: str) -> None:
    outcome = eras.run(code)
    assert (outcome.kind, outcome.word, str(outcome)) == (kind, word, shown)


def test_code_changes_no_names_but_its_own() -> None:
    names = {"x": 1}
    eras.run("x = 2\ny = 3", names)
    assert names == {"x": 1}


def test_versions_are_compared_by_their_numbers() -> None:
    assert eras.since(numpy.__version__, "numpy") and eras.since("1.9.0", "numpy")
    assert not eras.since("10.0.0", "numpy") and not eras.since("0.1.0", "no-such-package")


@pytest.mark.parametrize(
    ("then", "claims"),
    [
        ("{}['x']", {}),
        ("{}['x']", {"gone": "1.0.0"}),
        (WARNS, {"warns": "1.0.0"}),
        (WARNS, {"warns": "1.0.0", "gone": "99.0.0"}),
        ("1", {"warns": "98.0.0", "gone": "99.0.0"}),
        ("{}['x']", {"warns": "1.0.0", "gone": "1.1.0"}),
    ],
)
def test_a_claim_that_holds_is_shown(then: str, claims: dict[str, str]) -> None:
    assert eras.Eras().beside(then, "2", package="numpy", **claims).result.text == "2"


@pytest.mark.parametrize(
    ("then", "today", "claims"),
    [
        ("1", "2", {"gone": "1.0.0"}),
        ("1", "2", {"warns": "1.0.0"}),
        ("{}['x']", "2", {"gone": "99.0.0"}),
        (WARNS, "2", {"gone": "99.0.0"}),
        ("1", "{}['x']", {}),
        ("1", WARNS, {}),
    ],
)
def test_a_claim_that_does_not_hold_is_refused(then: str, today: str, claims: dict[str, str]) -> None:
    with pytest.raises(eras.ClaimDoesNotHold, match="on numpy"):
        eras.Eras().beside(then, today, package="numpy", **claims)


def test_code_of_a_package_that_is_not_there_is_not_run() -> None:
    shown = eras.Eras().beside("import nothing.such", "2", package="no-such-package")
    assert "not run here" in repr(shown) and shown.when == "no-such-package is not installed here."


@pytest.mark.parametrize(
    ("row", "side"),
    [
        (("1", "KeyError", {"1.0.0": "1"}), "since 1.0.0"),
        (("{}['x']", "KeyError", {"99.0.0": "1"}), "before"),
        ((WARNS, "DeprecationWarning", {"99.0.0": "KeyError"}), "before"),
        (("1", "KeyError", {"1.0.0": "0", "1.1.0": "1", "99.0.0": "2"}), "since 1.1.0"),
    ],
)
def test_a_table_says_on_which_side_this_version_is(row: eras.Row, side: str) -> None:
    shown = eras.Eras().sides([row], package="numpy")
    assert shown.table.rows[0][-1] == side and numpy.__version__ in shown.table.caption


@pytest.mark.parametrize(
    "row",
    [
        ("1", "2", {"99.0.0": "1"}),
        ("1", "1", {"1.0.0": "2"}),
        (WARNS, "1", {"1.0.0": "2"}),
        ("1", "1", {"1.0.0": "1", "1.1.0": "2"}),
    ],
)
def test_a_table_refuses_the_wrong_side(row: eras.Row) -> None:
    with pytest.raises(eras.ClaimDoesNotHold):
        eras.Eras().sides([row], package="numpy")


def test_a_name_that_was_there_for_a_while_has_two_boundaries() -> None:
    claim = eras.Claim("jax.custom_remat", "AttributeError", {"0.11.0": "True", "0.12.0": "AttributeError"})
    told = {version: claim.expected(version) for version in ("0.10.2", "0.11.0", "0.11.2", "0.12.0.1")}
    assert list(told.values()) == ["AttributeError", "True", "True", "AttributeError"]


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (("gone", "1.0.0", "len"), True),
        (("len", "99.0.0", "len"), True),
        (("len", "1.0.0", "len"), False),
        (("gone", "99.0.0", "len"), False),
        (("gone", "1.0.0", "nor this"), False),
    ],
)
def test_a_name_that_moved_is_gone_and_the_new_one_is_there(row: tuple[str, str, str], holds: bool) -> None:
    if holds:
        assert eras.Eras().renamed([row], package="numpy").table.rows[0][:3] == list(row)
        return
    with pytest.raises(eras.ClaimDoesNotHold):
        eras.Eras().renamed([row], package="numpy")


@pytest.mark.parametrize(
    "shown",
    [
        eras.Eras().beside("a < 'b'", "2", package="numpy"),
        eras.Eras().beside(WARNS, "'<b>'", package="numpy"),
        eras.Eras().sides([("'<b>'", "1", {"1.0.0": "'<b>'"})], package="numpy"),
    ],
)
def test_what_a_notebook_shows_is_well_formed_and_nothing_in_it_is_taken_for_html(shown: eras.Beside) -> None:
    root = ET.fromstring(shown._repr_html_().replace("<br>", "<br/>"))
    assert not list(root.iter("b")) and not list(root.iter("news"))
    assert re.match("jaxcourse-", root.get("class", ""))
