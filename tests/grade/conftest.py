"""The grader's tests share helpers: `submissions` and `grade_class` beside this file, whose folder is on the path."""

from second_course import second as second


def pytest_collection_modifyitems(items):
    """Parity comes last: most of what it would compile, the contract has compiled by then."""
    items.sort(key=lambda item: item.path.name == "test_parity.py")
