"""The tests of `ewm` that pandas ships, with ours in place of theirs: see `ewm_of_ours`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from jaxcourse.insides import quick_flags

TESTS = Path(pd.__file__).parent / "tests"
NEW = int(pd.__version__.split(".")[0]) >= 3

NO_COLUMNS = "ours takes no columns out of `ewm(...)`: take them out of the table"
NO_NUMERIC_ONLY = "ours has no `numeric_only`: a column that cannot be encoded is named"
HALFLIFE_ALONE = "with times, ours takes the halflife alone, and says so by a ValueError, not by NotImplementedError"

LEFT_OUT = {
    "test_ewm_with_times_getitem": NO_COLUMNS,
    "test_ewm_getitem_attributes_retained": NO_COLUMNS,
    "test_numeric_only_frame": NO_NUMERIC_ONLY,
    "test_numeric_only_series": NO_NUMERIC_ONLY,
}
"""Tests of pandas that ours does not pass, and why. What ours lacks as a whole (`var`, `std`, `cov`, `corr`, `sum`,
`agg`, groups) need not be here, because pandas answers it."""
LEFT_OUT |= (
    {
        "test_ewma_times_adjust_false_with_disallowed_com": HALFLIFE_ALONE,
        "test_ewma_times_adjust_false_with_disallowed_alpha": HALFLIFE_ALONE,
        "test_ewma_times_adjust_false_with_disallowed_span": HALFLIFE_ALONE,
    }
    if NEW
    else {
        "test_ewma_times_adjust_false_raises": HALFLIFE_ALONE,
        "test_float_dtype_ewma": "pandas 2 takes `axis`, with a warning; in ours time is the rows, as in pandas 3",
    }
)

NOT_RUN = {
    "window/test_numba.py": "about `engine` and `method`, which ours does not have",
    "window/test_online.py": "about `online`, which ours does not have: a state goes from one `unroll` to the next",
}
"""Files in which pandas compiles means of its own with Numba first, which takes longer than all the others."""

pytestmark = pytest.mark.skipif(not (TESTS / "window" / "test_ewm.py").exists(), reason="pandas is here without tests")


def callers():
    """The files of pandas' tests in which `ewm` is called, relative to all of them."""
    files = sorted(TESTS.rglob("test_*.py"))
    return [file.relative_to(TESTS).as_posix() for file in files if ".ewm(" in file.read_text("utf-8")]


@pytest.fixture(scope="module", params=["row by row", "column by column"])
def went(request, tmp_path_factory):
    """How each test went in which ours answered, or failed to: as small tables are run, and as large ones are."""
    report = tmp_path_factory.mktemp("pandas") / "report.jsonl"
    files = [TESTS / file for file in callers() if file not in NOT_RUN]
    alone = ["-c", os.devnull, "--rootdir", TESTS.parent]
    alone += ["--confcutdir", TESTS.parent]  # the environment may lie in the course's folder, beside its conftest.py
    alone += ["-p", "no:cacheprovider", "-p", "ewm_of_ours"]
    environment = os.environ | {
        "JAX_ENABLE_X64": "1",
        "JAX_PLATFORMS": "cpu",
        "PYTEST_ADDOPTS": "",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
        "XLA_FLAGS": " ".join(quick_flags()),
    }
    alone += ["--large-from", "1"] if request.param == "column by column" else []
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", *alone, "--report", report, *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    lines = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
    return [line for line in lines if line["outcome"] == "failed" or (line["ours"] and line["outcome"] == "passed")]


def function(line):
    return line["test"].split("::")[-1].split("[")[0]


def test_what_ours_answers_is_what_pandas_expects(went):
    failed = [line for line in went if line["outcome"] == "failed" and function(line) not in LEFT_OUT]
    assert not failed, "\n".join(f"{line['test']}: {line['why']}" for line in failed)
    passed = {function(line) for line in went if line["outcome"] == "passed"}
    assert {"test_ewm_consistency_mean", "test_ewma_cases", "test_ewma_with_times_variable_spacing"} <= passed


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_there_and_would_fail(went, name):
    outcomes = {line["outcome"] for line in went if function(line) == name}
    assert outcomes == {"failed"}, f"{name} is left out because {LEFT_OUT[name]}, but it went so: {outcomes or 'gone'}"


@pytest.mark.parametrize("file", NOT_RUN)
def test_what_is_not_run_would_call_ours_and_compile_with_numba(file):
    assert file in callers() and "numba" in (TESTS / file).read_text("utf-8")
