"""The toy lesson's page, with a record and without."""

import pytest
from recorded.toy_pages import Pages, site
from recorded.toy_record import lesson, write


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """The page, built before a browser runs: both have a loop of their own."""
    pytest.importorskip("myst_nb")
    root = tmp_path_factory.mktemp("recorded")
    lesson(root)
    site(root)
    plain, said = site(root)
    plain = plain.rename(root / "plain.html")
    bare, more = site(root, "site_recorded")
    bare = bare.rename(root / "bare.html")
    write(root)
    page, most = site(root, "site_recorded")
    return Pages(page, bare, plain, said + more + most)
