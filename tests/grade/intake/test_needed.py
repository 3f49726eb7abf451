"""Of what lies beside a notebook, what it may need is read, and nothing else."""

from pathlib import Path

import pytest

from jaxcourse_grade._records import MOST_TEXT
from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._names import stem_of
from jaxcourse_grade.intake._needed import needed


def taken(files, *cells, notebook="ada/work/00.ipynb", sizes=None):
    """What a notebook with these cells needs of some files; what was read of them; what was too large."""
    looked_at = []

    def text(handed):
        looked_at.append(handed.source)
        return files[handed.source]

    def handed(source):
        size = (sizes or {}).get(source, len(files.get(source) or ""))
        return Handed(Path("x"), (), source, "ada", "Ada", size=size, module=stem_of(source.rpartition("/")[2]))

    modules, too_large = needed(cells, handed(notebook), list(map(handed, files)), text)
    return dict(modules), looked_at, too_large


SAYS = {
    "import": "import tools",
    "from": "from tools import f",
    "importlib": "import importlib\ntools = importlib.import_module('tools')",
    "a magic": "%run tools.py",
    "a magic with a path": "%run ./tools.py",
    "exec": "exec(open('tools.py').read())",
    "in a function": "def f(x):\n    from tools import g\n    return g(x)",
}


@pytest.mark.parametrize("how", SAYS)
def test_a_module_is_taken_however_it_is_named(how):
    files = {"ada/work/tools.py": "x = 1", "ada/work/data.py": "y = 2"}
    assert taken(files, SAYS[how])[:2] == ({"tools.py": "x = 1"}, ["ada/work/tools.py"])


def test_what_a_module_needs_is_taken_too():
    files = {"ada/work/a.py": "from b import f", "ada/work/b.py": "import c", "ada/work/c.py": "", "ada/work/d.py": ""}
    assert set(taken(files, "import a")[0]) == {"a.py", "b.py", "c.py"}


def test_a_package_keeps_its_folders():
    files = {
        "ada/work/tools/__init__.py": "from .core import f",
        "ada/work/tools/core.py": "from . import deep",
        "ada/work/tools/deep/__init__.py": "from .end import f",
        "ada/work/tools/deep/end.py": "f = abs",
        "ada/work/tools/unused.py": "",
    }
    found, _, _ = taken(files, "import tools")
    assert set(found) == {"tools/__init__.py", "tools/core.py", "tools/deep/__init__.py", "tools/deep/end.py"}


def test_what_lies_on_a_path_of_the_students_is_found_where_it_lies_and_by_its_name():
    files = {"ada/src/pack/__init__.py": "", "ada/src/pack/core.py": "", "ada/work/lib/helpers.py": "x = 1"}
    found, _, _ = taken(
        files, "sys.path.append('/home/ada/src')\nfrom pack import core\nsys.path.append('lib')\nimport helpers"
    )
    assert set(found) == {"pack/__init__.py", "pack/core.py", "lib/helpers.py", "helpers.py"}


def test_an_environment_is_nobodys_own():
    inside = "ada/work/venv/Lib/site-packages"
    files = {f"{inside}/numpy/__init__.py": "", f"{inside}/tools.py": "", "ada/work/env/Lib/json/__init__.py": ""}
    found = taken({**files, "ada/work/tools.py": "mine"}, "import numpy, tools, json")
    assert found == ({"tools.py": "mine"}, ["ada/work/tools.py"], ())


def test_what_is_too_large_is_named_and_not_read_and_leaves_room_for_others():
    files = {"ada/work/data.py": "", "ada/work/tools.py": "x = 1", "ada/work/lies.py": "x" * (MOST_TEXT + 1)}
    sizes = {"ada/work/data.py": MOST_TEXT + 1, "ada/work/lies.py": 1}
    found, looked_at, too_large = taken(files, "import data, tools, lies", sizes=sizes)
    assert (found, sorted(too_large)) == ({"tools.py": "x = 1"}, ["data", "lies"])
    assert "ada/work/data.py" not in looked_at


def test_what_cannot_be_read_is_left_out():
    assert taken({"ada/work/tools.py": None}, "import tools") == ({}, ["ada/work/tools.py"], ())
