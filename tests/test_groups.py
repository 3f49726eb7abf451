"""Tests that share what a fixture makes for their module stay with one worker; others may go to any."""

import subprocess
import sys

import nbformat
import pytest


@pytest.fixture(scope="module")
def shared():
    return object()


def groups(request):
    return [mark.args[0] for mark in request.node.iter_markers("xdist_group")]


@pytest.mark.usefixtures("shared")
def test_who_shares_something_stays(request):
    assert groups(request) == ["test_groups"]


@pytest.mark.usefixtures("shared")
@pytest.mark.xdist_group("own")
def test_a_group_of_ones_own_counts(request):
    assert groups(request) == ["own"]


def test_who_shares_nothing_goes_anywhere(request):
    assert groups(request) == []


def test_cells_of_a_notebook_may_be_among_them(tmp_path):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    nbformat.write(book, tmp_path / "one.ipynb")
    command = [sys.executable, "-m", "pytest", "-q", "--co", "--nbval", "-p", "no:cacheprovider", __file__]
    done = subprocess.run([*command, tmp_path / "one.ipynb"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "::Cell 0" in done.stdout, done.stdout + done.stderr
