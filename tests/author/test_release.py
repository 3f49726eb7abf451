"""A release: what has changed gets a name, once it is said for whom."""

import datetime
import subprocess
from pathlib import Path

import pytest

from jaxcourse_author import release

TODAY = datetime.date(2026, 12, 5)
ENTRIES = "\n\nVerdicts: as before.\n\n### Readers\n\n- A picture moves.\n\n"
LOG = f"# Changelog\n\n{release.NEXT}{ENTRIES}## 2026.11.2 (2026-11-30)\n\nVerdicts: none.\n\n- The first.\n"


def git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@course.example"]
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for key in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{key}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{key}_EMAIL", "ada@course.example")
    (tmp_path / "CHANGELOG.md").write_text(LOG, encoding="utf-8")
    (tmp_path / release.EDITION).parent.mkdir(parents=True)
    (tmp_path / release.EDITION).write_text('"""Which."""\n\nRELEASE = "2026.11.2"\n', encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "All")
    return tmp_path


def test_what_has_changed_is_named_committed_and_tagged(checkout: Path) -> None:
    assert release.release(checkout, TODAY) == "2026.12.1"
    assert 'RELEASE = "2026.12.1"' in (checkout / release.EDITION).read_text(encoding="utf-8")
    text = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"{release.NEXT}\n\n## 2026.12.1 (2026-12-05){ENTRIES}## 2026.11.2" in text
    assert git(checkout, "tag") == "2026.12.1" and git(checkout, "log", "-1", "--format=%s") == "Release 2026.12.1"
    assert git(checkout, "status", "--porcelain") == ""


def test_nothing_new_is_no_release(checkout: Path) -> None:
    release.release(checkout, TODAY)
    with pytest.raises(ValueError, match="no entry stands below"):
        release.release(checkout, TODAY)


def test_the_second_in_a_month_is_the_second() -> None:
    assert release.next_name("2026.12.1", TODAY) == "2026.12.2"
    assert release.next_name("2025.12.7", TODAY) == "2026.12.1"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Verdicts: as before.", "", "whether any answer is judged otherwise"),
        ("- A picture moves.", "", "no entry stands below"),
        ("### Readers", "### Everybody", "`### Everybody` is nobody whom a change touches"),
        (release.NEXT, "## Soon", "has no heading"),
    ],
)
def test_a_changelog_that_does_not_say_what_changed_is_refused(checkout: Path, old: str, new: str, words: str) -> None:
    (checkout / "CHANGELOG.md").write_text(LOG.replace(old, new, 1), encoding="utf-8")
    git(checkout, "commit", "--quiet", "-am", "Less")
    with pytest.raises(ValueError) as refused:
        release.release(checkout, TODAY)
    assert words in str(refused.value) and git(checkout, "tag") == ""


def test_what_is_not_committed_is_in_no_release(checkout: Path) -> None:
    (checkout / "more.txt").write_text("more", encoding="utf-8")
    with pytest.raises(ValueError, match=r"not committed:\n\?\? more\.txt"):
        release.release(checkout, TODAY)


def test_our_own_changelog_can_be_released_where_something_changed() -> None:
    text = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert release.unreleased_entries(text).strip() == "" or list(release.faults(text)) == []
