"""When something was handed in is what those say who know it: never the time of a download, a checkout or a copy."""

import os
import subprocess
from datetime import datetime

import pytest
from test_read import LESSONS, ONE, PI, TWO, book, member, tree, zipped

from jaxcourse_grade._records import minutes_late
from jaxcourse_grade.intake import _commits, in_zone, take_in
from jaxcourse_grade.intake._names import moment_of

FIRST, SECOND = LESSONS
DUE = {FIRST: datetime.fromisoformat("2026-11-20T23:59:00+01:00")}
SHEET = (
    'Identifier,"Full name",Status,Grade,"Maximum Grade","Last modified (submission)"\n'
    'Participant 103,"Jane Doe","Submitted for grading",,10.00,"Friday, 20 November 2026, 11:58 PM"\n'
    'Participant 104,"Tom Roe","Submitted for grading - 2 hours 3 mins late",,10.00,'
    '"Saturday, 21 November 2026, 2:02 AM"\n'
    'Participant 105,"Ann Lee","Submitted for grading - 1 day late - Extension granted until: Sunday",,10.00,'
    '"Saturday, 21 November 2026, 11:59 PM"\n'
)
NAMES = {"Jane Doe": 103, "Tom Roe": 104, "Ann Lee": 105}
EXPORT = {f"{name}_{number}_assignsubmission_file/x.ipynb": book(PI, f"n = {number}") for name, number in NAMES.items()}


def known(folder, **how):
    """What is known of each hand-in: when, by whom, how late it says that it was."""
    choices = take_in(folder, LESSONS, **how).choices
    return {one.name: (one.submitted, one.told, one.late) for one in (choice.submission for choice in choices)}


# -- learning platforms


@pytest.mark.parametrize("where", ["--moodle", "--roster", "in the export"])
def test_moodles_worksheet_says_when_and_how_late(where, tmp_path):
    sheet = tree(tmp_path, {"sheet.csv": SHEET.encode()}) / "sheet.csv"
    inside = {"Grades-Course-HW 1.csv": SHEET.encode()} if where == "in the export" else {}
    source = tree(tmp_path, {"export.zip": zipped({**EXPORT, **inside})}) / "export.zip"
    how = {"--moodle": {"worksheet": sheet}, "--roster": {"roster": sheet}}.get(where, {})
    assert known(source, **how) == {
        "Jane Doe": ("2026-11-20T23:58:00", "Moodle", ""),
        "Tom Roe": ("2026-11-21T02:02:00", "Moodle", "2 hours 3 mins late, says Moodle"),
        "Ann Lee": ("", "", "1 day late, says Moodle"),  # who has an extension was not due when others were
    }


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize("files_own", [False, True])
def test_a_download_is_no_hand_in(unpacked, files_own, tmp_path):
    files = {"doejane_12_1001_x.ipynb": ONE, "roetom_LATE_13_1002_x.ipynb": TWO, "leeann_14_1003_y.ipynb": book(PI)}
    source = tree(tmp_path / "in", files if unpacked else {"all.zip": zipped(files)})
    found = known(source, asked=[FIRST, SECOND], file_times=files_own)
    assert set(found.values()) == {("", "", ""), ("", "", "late, says Canvas")}
    source = tree(tmp_path / "moodle", EXPORT if unpacked else {"all.zip": zipped(EXPORT)})
    assert set(known(source, file_times=files_own).values()) == {("", "", "")}


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Friday, 20 November 2026, 11:58 PM", "2026-11-20T23:58:00"),
        ("Friday, 20 November 2026, 12:05 AM", "2026-11-20T00:05:00"),
        ("Friday, November 20, 2026, 12:05 PM", "2026-11-20T12:05:00"),
        ("20 Nov 2026, 23:58", "2026-11-20T23:58:00"),
        ("2026-11-20 23:58", "2026-11-20T23:58:00"),
        ("-", ""),
        ("31 February 2026, 1:00 PM", ""),
        ("Freitag, 20. Brumaire 2026, 23:58", ""),
    ],
)
def test_moodles_moments(text, moment):
    assert moment_of(text) == moment


def test_a_moment_without_a_zone_is_in_that_of_the_deadline():
    late = minutes_late(in_zone("2026-11-20T23:40:00", DUE[FIRST]), DUE[FIRST].isoformat())
    assert late == 0  # and not 41 minutes, as if it were in UTC


# -- files' own times


def test_a_files_own_time_counts_only_where_it_is_said_to(tmp_path):
    own = zipped([(member("x.ipynb", (2026, 11, 20, 23, 40, 0)), ONE)])
    tree(tmp_path, {"in/doe.ipynb": ONE, "in/roe.zip": own})
    for name in ("doe.ipynb", "roe.zip"):
        os.utime(tmp_path / "in" / name, (1_800_000_000,) * 2)
    assert set(known(tmp_path / "in").values()) == {("", "", "")}
    moment = ("2027-01-15T08:00:00+00:00", "the file’s own time", "")
    assert set(known(tmp_path / "in", file_times=True).values()) == {moment}


def test_the_latest_that_came_in_time_counts_if_that_is_wanted(tmp_path):
    tree(tmp_path, {"in/doe.ipynb": ONE, "in/doe (1).ipynb": book(PI, "n = 2"), "in/roe.ipynb": book(PI, "n = 3")})
    for name, moment in (("doe", "20T10:00"), ("doe (1)", "21T10:00"), ("roe", "21T10:00")):
        os.utime(
            tmp_path / "in" / f"{name}.ipynb", (datetime.fromisoformat(f"2026-11-{moment}+01:00").timestamp(),) * 2
        )
    for on_time, counts in ((False, "doe (1).ipynb"), (True, "doe.ipynb")):
        doe, roe = take_in(tmp_path / "in", LESSONS, due=DUE, on_time=on_time, file_times=True).choices
        assert (doe.submission.source, roe.submission.source) == (counts, "roe.ipynb")
    assert "`doe (1).ipynb` (handed in late)" in doe.submission.notes[-1]


def test_what_canvas_calls_late_is_not_in_time(tmp_path):
    tree(tmp_path, {"doej_1_1001_x.ipynb": ONE, "doej_LATE_1_1002_x.ipynb": book(PI, "n = 2")})
    for on_time, late in ((False, "late, says Canvas"), (True, "")):
        (doe,) = take_in(tmp_path, LESSONS, due=DUE, on_time=on_time).choices
        assert doe.submission.late == late


def test_the_same_content_again_is_not_late(tmp_path):
    tree(tmp_path, {"doej_1_1001_x.ipynb": ONE, "doej_LATE_1_1002_x.ipynb": ONE})
    (doe,) = take_in(tmp_path, LESSONS).choices
    assert (doe.submission.source, doe.submission.late) == ("doej_LATE_1_1002_x.ipynb", "")


# -- commits


def git(folder, *command, when="2026-11-20T10:00:00+01:00"):
    who = {f"GIT_{role}_{what}": "x@y.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", "-c", "init.defaultBranch=main", *command], cwd=folder, env={**os.environ, **who, **dates}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def clone(folder, files, when="2026-11-20T10:00:00+01:00"):
    """A repository with one commit of all files."""
    tree(folder, files)
    git(folder, "init")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "x", when=when)
    return folder


@pytest.fixture
def two(tmp_path):
    """Two clones: the second student has committed another file later."""
    clone(tmp_path / "in/doe", {"hw/x.ipynb": ONE})
    clone(tmp_path / "in/roe", {"hw/x.ipynb": book(PI, "n = 2")})
    tree(tmp_path / "in/roe", {"later.txt": b""})
    git(tmp_path / "in/roe", "add", "-A")
    git(tmp_path / "in/roe", "commit", "-m", "y", when="2026-12-24T00:00:00Z")
    return tmp_path / "in"


def test_a_commit_says_when_the_file_was_changed(two):
    moment = ("2026-11-20T09:00:00+00:00", "the commit", "")
    assert set(known(two, asked=[FIRST]).values()) == {moment}
    git(two / "doe", "gc", "-q")  # and so it does from a pack, and a list of packed branches
    git(two / "roe", "checkout", "-q", "--detach")
    assert set(known(two, asked=[FIRST]).values()) == {moment}


def test_what_was_changed_since_the_commit_has_no_time(two):
    tree(two / "doe", {"hw/x.ipynb": book(PI, "n = 7")})
    assert known(two, asked=[FIRST])["doe"] == ("", "", "")


def test_a_shallow_clone_does_not_know_when_its_last_commit_changed_what(two, tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{two}/roe", "in/shallow")
    assert known(two, asked=[FIRST])["shallow"] == ("", "", "")


def test_the_instructors_own_repository_says_nothing_of_hand_ins(tmp_path):
    clone(tmp_path / "in", {"doe/x.ipynb": ONE, "roe/x.ipynb": book(PI, "n = 2")})
    assert set(known(tmp_path / "in").values()) == {("", "", "")}


def test_nothing_of_a_students_repository_is_run(two, tmp_path):
    """What git would run for a repository: monitors, pagers, programs for signatures, filters, hooks, remotes."""
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    settings = {
        "core.fsmonitor": trap, "core.pager": trap, "core.sshCommand": trap, "core.hooksPath": tmp_path,
        "core.alternateRefsCommand": trap, "gpg.program": trap, "log.showSignature": "true", "diff.external": trap,
        "filter.x.clean": trap, "filter.x.smudge": trap, "diff.x.textconv": trap, "alias.rev-list": f"!{trap}",
        "alias.ls-tree": f"!{trap}", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{trap}", "protocol.ext.allow": "always", "uploadpack.packObjectsHook": trap,
    }  # fmt: skip
    doe = two / "doe"
    tree(doe, {".gitattributes": b"* filter=x diff=x\n", ".git/hooks/post-index-change": trap.read_bytes()})
    before = known(two, asked=[FIRST])["doe"]
    for name, value in settings.items():
        git(doe, "config", "-f", ".git/config", name, str(value))
    assert known(two, asked=[FIRST])["doe"] == before != ("", "", "")
    assert not (tmp_path / "sprung").exists()
    git(doe, "status")
    assert (tmp_path / "sprung").exists()  # so the trap is one
    (tmp_path / "sprung").unlink()
    for objects in (doe / ".git/objects").glob("??/*"):
        objects.chmod(0o644)
        objects.write_bytes(b"")  # what is lacking would be fetched from the remote
    assert known(two, asked=[FIRST])["doe"] == ("", "", "")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("odd", ["a file", "a link", "a pipe for a head", "a head outside", "no objects"])
def test_a_repository_that_is_none_says_nothing(odd, two, tmp_path):
    folder = two / "doe/.git"
    if odd in ("a file", "a link"):
        folder.rename(tmp_path / "elsewhere")
        folder.write_text(f"gitdir: {tmp_path}/elsewhere") if odd == "a file" else folder.symlink_to(
            tmp_path / "elsewhere"
        )
    elif odd == "a pipe for a head":
        (folder / "HEAD").unlink()
        os.mkfifo(folder / "HEAD")
    elif odd == "a head outside":
        (folder / "HEAD").write_text("ref: refs/../../../roe/.git/refs/heads/main")
    else:
        (folder / "objects").rename(folder / "other")
    assert known(two, asked=[FIRST])["doe"] == ("", "", "")


def test_without_git_nothing_is_known(two, monkeypatch):
    monkeypatch.setattr(_commits.shutil, "which", lambda name: None)
    assert known(two, asked=[FIRST])["doe"] == ("", "", "")
