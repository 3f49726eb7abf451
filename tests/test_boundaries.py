"""Which versions are tried on both of their sides, and that a claim that is wrong on one of them is found."""

import re
from pathlib import Path

import boundaries
import pytest

from jaxcourse_author import eras

PAGE = """
# A page

```{code-cell} ipython3
import numpy as np
from numpy import linalg as la

changes = eras.Eras({"np": np, "la": la})
```

```{code-cell} ipython3
:tags: [remove-input]

changes.sides([("np.trapz([0.0, 1.0])", "DeprecationWarning", {"2.4.0": "AttributeError"})], package="numpy")
changes.beside("la.norm(1)", "1", warns="2.2.0", gone="2.5.0", package="numpy")
changes.beside("1", "2")
changes.renamed([("np.in1d", "2.4.0", "np.isin")], package="numpy", caption="Names")
```
"""


@pytest.fixture
def rows(tmp_path: Path) -> list[boundaries.Row]:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    return boundaries.rows_of(page)


def test_every_claim_of_a_page_is_read_with_the_imports_that_it_needs(rows: list[boundaries.Row]) -> None:
    assert [(row.claim.code, row.imports) for row in rows] == [
        ("np.trapz([0.0, 1.0])", "import numpy as np"),
        ("la.norm(1)", "from numpy import linalg as la"),
        ("np.in1d", "import numpy as np"),
    ]
    assert rows[1].claim.since == {"2.2.0": "warns", "2.5.0": "raises"}


def test_only_what_the_course_runs_on_both_sides_of_is_tried(rows: list[boundaries.Row]) -> None:
    claims = [row.claim for row in rows]
    assert boundaries.boundaries(claims, "2.1.3") == ["2.2.0", "2.4.0", "2.5.0"]
    assert boundaries.boundaries(claims, "2.4.0") == ["2.5.0"]


@pytest.mark.parametrize(
    ("named", "tried"),
    [
        (["2.4.0"], ["2.3.5", "2.4.1"]),  # 2.4.0 itself is not to be had
        (["2.5.0"], ["2.4.10", "2.5.0"]),
        (["2.4.0", "2.5.0"], ["2.3.5", "2.4.1", "2.4.10", "2.5.0"]),
        (["9.0.0"], ["2.5.0"]),
    ],
)
def test_a_version_is_tried_on_the_first_release_that_has_it_and_on_the_one_before(
    named: list[str], tried: list[str]
) -> None:
    assert boundaries.both_sides(named, ["2.5.0.1", "2.5.0", "2.4.10", "2.4.2", "2.4.1", "2.3.5", "2.3.4"]) == tried


@pytest.mark.parametrize(("got", "status"), [("AttributeError", 0), ("DeprecationWarning", 1)])
def test_a_claim_that_is_wrong_on_one_release_is_named(
    rows: list[boundaries.Row], got: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [
        boundaries.Finding(rows[0], "2.3.5", "DeprecationWarning"),
        boundaries.Finding(rows[0], "2.4.1", got),
    ]
    assert boundaries.report(rows[:1], findings) == status
    told = capsys.readouterr().out
    assert ("on 2.4.1 the page says 'AttributeError', and it is 'DeprecationWarning'" in told) is bool(status)


def test_the_process_runs_each_claim_with_its_imports_and_goes_on_after_one_that_has_none() -> None:
    asked = [["import math", "math.floor(2.5)"], ["import nothing.such", "1"], ["", "{}['x']"]]
    told = boundaries.outcomes_in(boundaries.sys.executable, asked, {})
    assert [outcome.kind for outcome in told] == ["runs", "raises", "raises"]
    assert (told[0].text, told[2].word) == ("2", "KeyError")


SENTENCES = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def test_a_version_that_a_sentence_names_is_tried_by_a_row_of_the_page() -> None:
    """The table is tried on both sides, and a sentence is not: so a sentence says nothing that no row says."""
    page = boundaries.ROOT / "book" / "versions.md"
    named = set(re.findall(r"\b\d+\.\d+\.\d+\b", SENTENCES.sub("", page.read_text(encoding="utf-8"))))
    tried = {version for row in boundaries.rows_of(page) for version in row.claim.since}
    assert named - tried - {"0.7.2", "0.10.2"} == set(), "the two stacks on which all pages run, and the rows"


def test_every_row_of_the_page_of_versions_names_a_version_that_is_tried() -> None:
    rows = boundaries.rows_of(boundaries.ROOT / "book" / "versions.md")
    left = [row.claim.code for row in rows if not boundaries.boundaries([row.claim], floor_of(row.claim))]
    assert len(rows) > 30 and left == []


def floor_of(claim: eras.Claim) -> str:
    return boundaries.floors()[claim.package]
