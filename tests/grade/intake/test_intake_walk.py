"""A notebook's cells are taken out of its bytes: the same that `json` finds in sound files, and never a crash."""

import contextlib
import json
import re
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxcourse.course import Course
from jaxcourse_grade.intake import _walk
from jaxcourse_grade.intake._walk import Book, Broken, Cell, walk


def book(*cells, **top):
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **top}


def code(source, **more):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source, **more}


def walked(data):
    return walk(data if isinstance(data, bytes) else json.dumps(data, indent=1).encode())


def expected(data):
    """What `json` and the format's description say the cells are."""
    cells = [cell for sheet in data.get("worksheets", [data]) for cell in sheet["cells"]]
    sources = (cell.get("source", cell.get("input")) for cell in cells)
    return tuple(Cell(cell["cell_type"], "".join(source)) for cell, source in zip(cells, sources, strict=True))


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
cells = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw"]), "source": texts | st.lists(texts, max_size=3)},
    optional={"outputs": anything, "metadata": anything, "id": anything, "execution_count": anything},
)
books = st.fixed_dictionaries(
    {"cells": st.lists(cells, max_size=4)}, optional={"metadata": anything, "nbformat": anything, "cellsx": anything}
)


@given(books, st.sampled_from([None, 0, 1, "\t"]), st.booleans())
def test_a_sound_notebook_gives_what_json_gives(data, indent, ascii_only):
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert walk(text).cells == expected(data)


@given(books, st.sampled_from([None, 1]), st.sampled_from([(1, 1), (3, 7), (64, 64)]))
def test_many_brackets_are_counted_as_few_are(data, indent, pieces):
    text = json.dumps(data, indent=indent).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_walk, "_FEW", 0)
        patch.setattr(_walk, "_PIECES", pieces)
        assert walk(text).cells == expected(data)


@given(st.text('\\"[]{}a', max_size=30), st.integers(1, 9), st.integers(0, 3))
def test_the_end_of_a_value_is_where_json_has_it(text, size, few):
    value = json.dumps([[text, {text: text}], text, [text]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_walk, "_FEW", few)
        patch.setattr(_walk, "_PIECES", (size, size))
        assert _walk._Walker(f"{value}]".encode())._end(0) == len(value)
        with pytest.raises(_walk._Stumble):
            _walk._Walker(value[:-1].encode())._end(0)


SHAPES = {
    "brackets": b'"metadata": ' + b"[" * 2**25 + b"]" * 2**25,
    "pairs of brackets": b'"metadata": [' + b"[]," * 2**24 + b"[]]",
    "brackets and texts": b'"metadata": [' + b'["",{"\\"":2}],' * 2**22 + b"[]]",
    "values of many brackets": b'"metadata": {' + b'"a": %b, ' % (b"[[" + b"[]," * 300 + b"[]]]") * 50_000 + b'"b": 1}',
    "small values": b'"metadata": {' + b'"a": [], ' * 390_000 + b'"b": 1}',
    "values of some brackets": b'"metadata": {' + b'"a": [%b[]], ' % (b"[]," * 40) * 390_000 + b'"b": 1}',
    "slashes": b'"metadata": ["' + b"\\\\" * 2**24 + b'", []]',
    "names of megabytes": b'"metadata": {"' + b"a" * 2**26 + b'": 1}',
    "numbers of megabytes": b'"metadata": {"a": ' + b"1" * 2**26 + b"}",
    "conflicts": b'"metadata": 1' + b"\n<<<<<<<" * 2**22 + b', "a": 1',
    "open brackets": b'"metadata": ' + b"[" * 2**26,
    "open texts": b'"metadata": ["' + b'\\"' * 2**25,
    "cells that are none": b'"cells": [' + b"0," * 390_000 + b"0]",
    "empty lines": b'"cells": [{"source": [' + b'"",' * 390_000 + b'""]}]',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_of_64_megabytes_takes_long(shape):
    began = time.process_time()
    with contextlib.suppress(Broken):
        walk(b"{" + SHAPES[shape] + b', "cells": []}')
    assert time.process_time() - began < 5


@given(books, st.data())
def test_a_notebook_with_a_hole_gives_cells_or_a_reason(data, draw):
    text = json.dumps(data, indent=1).encode()
    start, length = draw.draw(st.integers(0, len(text))), draw.draw(st.integers(1, 5))
    noise = draw.draw(st.binary(max_size=3))
    try:
        found = walk(text[:start] + noise + text[start + length :])
    except Broken as error:
        assert re.match(r"(is|has|holds) ", str(error))
    else:
        assert isinstance(found, Book)


@given(books, st.data())
def test_every_beginning_of_a_notebook_is_told_to_be_cut_off(data, draw):
    text = json.dumps(data, indent=1).encode()
    with pytest.raises(Broken, match="is cut off: it ends in line|is not a JSON object"):
        walk(text[: draw.draw(st.integers(0, len(text) - 1))])


# -- real notebooks, and a scanner so plain that it needs no regular expression

REAL = sorted(Course.installed().root.glob("solutions/*.ipynb"))


def brackets(data):
    """Where brackets stand outside of strings, one byte after the other."""
    quoted = escaped = False
    for at, byte in enumerate(data):
        if quoted:
            quoted = escaped or byte != ord('"')
            escaped = not escaped and byte == ord("\\")
        elif byte == ord('"'):
            quoted = True
        elif byte in b"[]{}":
            yield at


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem[:2])
def test_the_next_bracket_is_where_a_plain_scanner_finds_it_in_every_prefix(path):
    data = path.read_bytes()
    found = list(brackets(data))
    assert len(found) > 200
    for before, after in zip([-1, *found], [*found, len(data)], strict=True):
        for end in range(before + 1, after + 1):  # prefixes in which there is no further one
            assert not _walk._TO_BRACKET.match(data, before + 1, end)
        if after < len(data):
            assert _walk._TO_BRACKET.match(data, before + 1, after + 1).end() == after + 1


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem[:2])
def test_a_real_notebook_is_read_and_its_beginnings_are_cut_off(path):
    data = path.read_bytes()
    assert walk(data).cells == expected(json.loads(data))
    for end in range(1, len(data.rstrip()), 997):
        with pytest.raises(Broken, match="is cut off: it ends in line"):
            walk(data[:end])


@given(st.binary())
def test_any_bytes_give_cells_or_a_reason(data):
    with pytest.raises(Broken):
        walk(b"{" + data)  # no bytes without `cells` are a notebook


@pytest.mark.parametrize(
    ("data", "sources"),
    [
        (book(code("x = 1")), ["x = 1"]),
        (book(code(["a\n", "b"]), code([])), ["a\nb", ""]),
        (book({"cell_type": "code"}, {"source": "y"}), ["", "y"]),
        (book(code(None), code(["a", None, 3, ["b"], "c"])), ["", "ac"]),
        ({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x\n", "y"]}]}, {"cells": []}, 3]}, ["x\ny"]),
        ({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x", "", " y"]}]}]}, ["x\n\n y"]),
        (
            {"worksheets": [{"cells": [{"cell_type": "markdown", "source": ["x", "y"]}, {"input": ["x"]}]}]},
            ["x\ny", "x"],
        ),
        ({"worksheets": [{"cells": [{"input": ["x\r\n", "y"]}, {"input": []}, {"input": "z"}]}]}, ["x\r\ny", "", "z"]),
        (book(code(["x", "y"])), ["xy"]),
        (b'{"cells": [{"source": "a\tb\nc"}], "cells": [{"source": "last"}]}', ["last"]),
        (b'{"cells": [{"source": "caf\xe9"}]}', ["caf\u00e9"]),
        (b'{"cells": [{"source": "raw\ttab and\nline"}]}', ["raw\ttab and\nline"]),
        (b'{"cells": [{"source": "\\ud83d\\ude00 \\ud83d"}]}', ["\N{GRINNING FACE} \\ud83d"]),
        (b'{"cells": [{"source": "x", "outputs": [NaN, -Infinity, 1' + b"0" * 10_000 + b"]}]}", ["x"]),
        (b'{"cells": [{"source": "x", "outputs": ' + b"[" * 10**5 + b"]" * 10**5 + b"}]}", ["x"]),
        (b'{"cells": [{"source": "x", "metadata": {"a": "\\"}]"}},],}', ["x"]),
    ],
)
def test_sources_in_every_form(data, sources):
    assert [cell.source for cell in walked(data).cells] == sources


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (book(code(7)), "the source of cell 1 is not text: it was taken as empty"),
        (book(code("x"), 3), "item 2 in the list of cells is not a cell"),
        (json.dumps(book(code("x"))).encode() + b"\n}]", "what follows the notebook's end in line 1 was left out"),
        (b'{"cells": [{"source": "caf\xe9"}]}', "not in UTF-8: it was read as Windows-1252, as spreadsheets write it"),
        (
            b'{"cells": [{"outputs": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> b\n]}]}',
            "an unresolved merge conflict in line 2, outside the code",
        ),
    ],
)
def test_what_is_odd_is_noted(data, note):
    assert walked(data).notes == (note,)


def test_a_sound_notebook_is_not_odd():
    assert walked(book(code("x"), code(None))).notes == ()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[]", "is not a JSON object"),
        (b"{}", "is JSON, but not a notebook: it has no list of cells"),
        (b'{"cells": {}}', "is JSON, but not a notebook: it has no list of cells"),
        (b'{"cells": [\n{"source": "x"', "is cut off: it ends in line 2, in the middle of a cell"),
        (b'{"cells": [\n{"source": "x', "is cut off: it ends in line 2, in the middle of a cell"),
        (b'{"cells": [\n{"source" "x"}]}', "is broken JSON from line 2 on"),
        (b'{"cells": [{"source": "\\x"}]}', "is broken JSON from line 1 on"),
        (b'{"cells": [{"source": "x"} {}]}', "is broken JSON from line 1 on"),
        (
            b'{"cells": [{"source": [\n<<<<<<< HEAD\n"x"\n=======\n"y"\n>>>>>>> b\n]}]}',
            "holds an unresolved merge conflict, in line 2",
        ),
    ],
)
def test_what_is_no_notebook_is_told(data, reason):
    with pytest.raises(Broken) as error:
        walk(data)
    assert str(error.value) == reason


@pytest.mark.parametrize(
    ("limit", "data", "reason"),
    [
        ("MAX_COUNTS", book(*[code("x", outputs=[[1]] * 2_000)] * 9), "has more brackets than any notebook"),
        ("MAX_PARTS", book(*[code("x")] * 9), "has more than 8 parts: that is not a notebook"),
        ("MAX_SOURCE", book(code("123456789")), "holds more than 0 million characters of source"),
    ],
)
def test_there_are_limits(limit, data, reason, monkeypatch):
    walked(data)
    monkeypatch.setattr(_walk, limit, 8)
    with pytest.raises(Broken, match=reason):
        walked(data)


def test_notes_are_limited():
    assert len(walked(book(*range(100))).notes) == _walk.MAX_NOTES


@pytest.mark.parametrize(
    "output",
    [
        {"data": {"image/png": "A" * (8 * 2**20)}},
        {"text": ["step, loss\n"] * 400_000},
        {"data": {"plotly": [[0, 1.5]] * 100_000}},
    ],
)
def test_outputs_cost_no_memory(output):
    data = json.dumps(book(code("x", outputs=[output]))).encode()
    tracemalloc.start()
    try:
        assert walk(data).cells == (Cell("code", "x"),)
        assert tracemalloc.get_traced_memory()[1] < len(data) / 50 + _walk._PIECES[1] * 50
    finally:
        tracemalloc.stop()


def test_the_lesson_is_what_the_metadata_say():
    assert walked(book(metadata={"jaxcourse": {"page": {}, "lesson": "01_x"}})).lesson == "01_x"
    odd = [{}, {"jaxcourse": "01_x"}, {"jaxcourse": {"lesson": 3}}, [], None, {"jaxcourse": {"lesson": None}}]
    assert {walked(book(metadata=metadata)).lesson for metadata in odd} == {""}
