"""The grader's tests share helpers: `submissions` and `grade_class` beside this file, whose folder is on the path."""

import pytest
from second_course import second as second

from jaxcourse.grade.isolation import _process


@pytest.fixture(scope="session", autouse=True)
def quick_compiler():
    """Students' processes compile as quickly as the tests do; the compiler's flags are part of a program's key, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_process, "_PASSED_ON", (*_process._PASSED_ON, "XLA_FLAGS"))
        yield


def pytest_collection_modifyitems(items):
    """Parity comes last: most of what it would compile, the contract has compiled by then."""
    items.sort(key=lambda item: item.path.name == "test_parity.py")
