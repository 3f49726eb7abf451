"""With a JAX that has changed, each canary is red, and what could not be read is not taken for nothing."""

import importlib
import json
import re
import subprocess
import sys
import types
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from jaxcourse import insides, probe
from jaxcourse.course import Course
from jaxcourse.insides import BELIEFS, CannotRead, _blocks, _compiler, _program, _spent

PRIVATE = {(one.module, one.name): belief.name for belief in BELIEFS.values() for one in belief.private}

RENAMED = {
    "jit": ("calls", ["primitive", "jaxpr", "donated_invars"]),
    "custom_jvp_call": ("calls", ["call_jaxpr"]),
    "custom_vjp_call": ("calls", ["call_jaxpr"]),
    "scan": ("scans", ["primitive", "jaxpr", "length", "unroll", "num_consts", "num_carry", "ft_in"]),
    "while": ("whiles", ["primitive", "cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts"]),
    "cond": ("conds", ["primitive", "branches"]),
    "remat2": ("checkpoints", ["primitive"]),
    "shard_map": ("shard_maps", ["primitive"]),
    "pure_callback": ("callbacks", ["primitive"]),
    "io_callback": ("callbacks", ["primitive"]),
    "debug_callback": ("callbacks", ["primitive"]),
    "random_bits": ("draws", ["primitive"]),
    "random_gamma": ("draws", ["primitive"]),
    "rng_bit_generator": ("draws", ["primitive"]),
    "random_split": ("draws", ["primitive", "shape"]),
    "random_fold_in": ("draws", ["primitive"]),
    "random_wrap": ("draws", ["primitive"]),
    "random_unwrap": ("draws", ["primitive"]),
    "integer_pow": ("powers", ["primitive", "y"]),
    "pallas_call": ("blocked", ["primitive", "jaxpr", "grid_mapping", "input_output_aliases"]),
    "swap": ("blocked", ["primitive"]),
    "get": ("blocked", ["primitive"]),
}
ATTRIBUTES = {
    "equations": ["eqns", "invars", "outvars", "constvars", "primitive", "params", "aval"],
    "places": ["source_info", "traceback", "frames", "file_name", "line_num"],
    "binding": ["get_bind_params", "multiple_results"],
    "running": ["impl"],
    "blocked": ["grid", "block_mappings", "num_inputs", "num_outputs", "num_index_operands", "origin"]
    + ["block_shape", "block_size", "padding", "index_map_jaxpr"],
}
ONE_OF = {"blocked": [("array_aval", "array_shape_dtype")]}


@pytest.fixture(autouse=True)
def forgotten():
    """Each belief is proven anew, and what was shown with a broken JAX is forgotten."""
    for each in BELIEFS.values():
        each.forget()
    yield
    for each in BELIEFS.values():
        each.forget()


def rename(monkeypatch, primitive, what):
    """Let JAX call a primitive, or one of its parameters, something else."""
    part = _program._part

    def changed(thing, name):
        found = part(thing, name)
        if name == what == "primitive" and str(found) == primitive:
            return "renamed"
        if name == "params" and str(thing.primitive) == primitive:
            return {("renamed" if word == what else word): value for word, value in found.items()}
        return found

    monkeypatch.setattr(_program, "_part", changed)


@pytest.mark.parametrize(("primitive", "what"), [(name, what) for name, (_, all) in RENAMED.items() for what in all])
def test_a_renamed_primitive_or_parameter_is_noticed(monkeypatch, primitive, what):
    if jax.__version_info__ >= (0, 12) and what in ("num_consts", "num_carry"):
        pytest.skip("a scan has no such parameter any more")
    if jax.__version_info__ < (0, 12) and what == "ft_in":
        pytest.skip("a scan has no such parameter yet")
    rename(monkeypatch, primitive, what)
    belief = RENAMED[primitive][0]
    with pytest.raises(CannotRead, match=f"`{belief}`"):
        BELIEFS[belief].require()


@pytest.mark.parametrize(("belief", "name"), [(belief, name) for belief, names in ATTRIBUTES.items() for name in names])
def test_a_renamed_attribute_is_noticed(monkeypatch, belief, name):
    part = _program._part
    monkeypatch.setattr(_program, "_part", lambda thing, asked: part(thing, "renamed" if asked == name else asked))
    with pytest.raises(CannotRead):
        BELIEFS[belief].require()


@pytest.mark.parametrize(("belief", "names"), [(belief, each) for belief, many in ONE_OF.items() for each in many])
def test_an_attribute_with_no_name_that_is_known_is_noticed(monkeypatch, belief, names):
    part = _program._part
    monkeypatch.setattr(_program, "_part", lambda thing, asked: part(thing, "renamed" if asked in names else asked))
    with pytest.raises(CannotRead):
        BELIEFS[belief].require()


def test_another_kind_of_axis_is_not_a_block(monkeypatch):
    monkeypatch.setattr(_blocks, "_KINDS", {"Blocked": "blocked", "Squeezed": "squeezed"})
    with pytest.raises(CannotRead, match="an axis that is cut as"):
        BELIEFS["blocked"].require()


def test_a_renamed_call_is_not_no_kernel(monkeypatch):
    rename(monkeypatch, "pallas_call", "primitive")
    with pytest.raises(CannotRead, match="`blocked`"):
        probe.walk(lambda x: x + 1, np.ones(3, "f4"))


def without(module, name):
    """A module as it is, but for one name; what JAX has imported of it stays."""
    real = importlib.import_module(module)
    proxy = types.ModuleType(module)
    proxy.__dict__.update({key: value for key, value in vars(real).items() if key != name})
    return proxy


@pytest.mark.parametrize(("module", "name"), PRIVATE)
def test_a_lost_private_name_is_noticed(monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, module, without(module, name))
    with pytest.raises(CannotRead, match=name):
        BELIEFS[PRIVATE[module, name]].require()


CELLS = """
import importlib, json, sys, types
import jax, numba
jax.config.update("jax_num_cpu_devices", 8)  # all lessons share this process, and the set-up of some computes
from jaxcourse.paths import PACKAGE  # what runs first in a notebook is below
names, notebooks = json.loads(sys.argv[1]), sys.argv[2:]
cells = []
for path in notebooks:
    for cell in [cell for cell in json.load(open(path))["cells"] if cell["cell_type"] == "code"][:2]:
        code = "".join(cell["source"]).partition('if "google.colab" in sys.modules')[0]
        cells.append(compile(code, path, "exec"))
for module, name in names:
    for known in [known for known in sys.modules if known.startswith("jaxcourse")]:
        del sys.modules[known]
    real = importlib.import_module(module)
    proxy = types.ModuleType(module)
    proxy.__dict__.update({key: value for key, value in vars(real).items() if key != name})
    parent, _, child = module.rpartition(".")
    sys.modules[module] = proxy
    setattr(sys.modules[parent], child, proxy)
    try:
        for code in cells:
            exec(code, {"__name__": "__main__"})
        found = ""
    except BaseException as error:
        found = f"{code.co_filename}: {error!r}"
    sys.modules[module] = real
    setattr(sys.modules[parent], child, real)
    print("begun:", json.dumps([module, name, found]))
"""


@pytest.fixture(scope="module")
def beginnings():
    """How the lessons begin without each private name: what the first cell says that raises, or nothing.

    One process tries all names, one after the other, with the course imported anew each time: what takes long is to
    import everything else that lessons import.
    """
    course = Course.installed()
    paths = (course.root / "solutions" / f"{stem}.ipynb" for stem in course.exercises())
    here = Path().glob("[0-9][0-9]_*.ipynb")  # on another stack, where a wheel without notebooks is installed
    notebooks = [str(path.resolve()) for path in paths if path.exists()] or sorted(map(str, here))
    assert notebooks
    return begun(list(PRIVATE), notebooks)


def begun(names, notebooks):
    """By each name, what the first cell says that raises without it, or nothing."""
    command = [sys.executable, "-W", "ignore", "-c", CELLS, json.dumps(names), *notebooks]
    done = subprocess.run(command, capture_output=True, text=True)
    said = [json.loads(line.partition(": ")[2]) for line in done.stdout.splitlines() if line.startswith("begun: ")]
    assert done.returncode == 0, done.stderr[-2000:]
    return {(module, name): found for module, name, found in said}


@pytest.mark.parametrize(("module", "name"), PRIVATE)
def test_every_lesson_begins_without_a_private_name(beginnings, module, name):
    assert beginnings[module, name] == ""


def test_a_lesson_that_begins_with_a_private_name_is_named_and_the_next_name_is_there_again(tmp_path):
    (module, name), (other, another) = [one for one in PRIVATE if one[0].startswith("jax.")][:2]
    cells = [{"cell_type": "code", "source": [f"from {place} import {what}"]} for place, what in ((module, name),)]
    (tmp_path / "01_a.ipynb").write_text(json.dumps({"cells": cells}))
    found = begun([(module, name), (other, another)], [str(tmp_path / "01_a.ipynb")])
    assert "01_a.ipynb: ImportError" in found[module, name] and found[other, another] == ""


def test_a_renamed_event_is_not_nothing_compiled(monkeypatch):
    monkeypatch.setattr(_compiler, "_COMPILED", "/jax/core/compile/renamed")
    with pytest.raises(CannotRead, match="`compiling`"):
        probe.compiled(jax.jit(lambda x: x + 3), [(np.ones(3),)])


class Compiled:
    """A compiled program whose text names an operation otherwise."""

    def __init__(self, old, new):
        x = jax.ShapeDtypeStruct((8, 8), np.float32)
        loop = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x @ x), x))
        self.text = loop.lower(x).compile().as_text().replace(old, new)

    def as_text(self):
        return self.text


@pytest.mark.parametrize("reads", ["counts", "collectives"])
def test_a_renamed_operation_is_not_none(reads):
    with pytest.raises(CannotRead, match="what is loop"):
        getattr(insides.instructions(Compiled(" while(", " loop(")), reads)


@pytest.mark.parametrize(("old", "new"), [(" = ", " := "), (" while(", " WHILE(")])
def test_a_text_of_another_form_is_not_empty(old, new):
    with pytest.raises(CannotRead, match="`optimised`"):
        insides.instructions(Compiled(old, new))


class Fused:
    """A program as a GPU has it: one fusion that is run at once, or that starts and is waited for later."""

    BODY = """HloModule jit_f

%fused (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %sine.1 = f32[8]{0} sine(%p)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
"""
    AT_ONCE = "  ROOT %made = f32[8]{0} fusion(%x), kind=kLoop, calls=%fused\n}\n"
    LATER = """  %begun = ((f32[8]{0}), f32[8]{0}) fusion-start(%x), kind=kLoop, calls=%fused
  ROOT %made = f32[8]{0} fusion-done(%begun)
}
"""

    def __init__(self, entry):
        self.text = self.BODY + entry

    def as_text(self):
        return self.text


def test_a_fusion_that_starts_and_is_waited_for_later_counts_once():
    at_once, later = Fused(Fused.AT_ONCE), Fused(Fused.LATER)
    assert [each.piece for each in insides.made(at_once)] == [each.piece for each in insides.made(later)]
    assert insides.worked(at_once) == insides.worked(later)
    assert [insides.instructions(each).fusions for each in (at_once, later)] == [1, 1]
    assert [(each.operation, each.elements) for each in insides.worked(later)] == [("sine", 8)]


class Gathered(Compiled):
    """A compiled program in which two devices gather, and whose text is another."""

    def __init__(self, old, new):
        mesh = jax.make_mesh((2,), ("x",), (AxisType.Auto,), devices=jax.devices()[:2])
        body = lambda x: jax.lax.all_gather(x, "x", tiled=True)  # noqa: E731
        mapped = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x")))
        text = mapped.lower(jax.ShapeDtypeStruct((8, 3), np.float32)).compile().as_text()
        self.text = text.replace(old, new)


@pytest.mark.parametrize(
    ("reads", "old", "new"),
    [
        (insides.sent, "replica_groups=", "groups="),
        (insides.sent, " all-gather(", " all-gather-start("),
        (insides.made, "f32[", "f32<"),
        (insides.worked, "f32[", "f32<"),
    ],
)
def test_what_is_spent_in_another_form_is_not_nothing(reads, old, new):
    assert reads(Gathered(old, old))
    with pytest.raises(CannotRead):
        reads(Gathered(old, new))


@pytest.mark.parametrize(
    ("belief", "form"),
    [("grouped", "_LISTED"), ("storing", "_TYPE"), ("storing", "_NAMED"), ("counting", "_OPERAND")],
)
def test_another_form_of_an_instruction_is_noticed(monkeypatch, belief, form):
    if form == "_LISTED":
        monkeypatch.setattr(_spent, "_BY_AXES", re.compile("never"))  # newer ones write the groups in this way
    monkeypatch.setattr(_spent, form, re.compile("never"))
    with pytest.raises(CannotRead, match=f"`{belief}`"):
        BELIEFS[belief].require()


def test_a_question_about_a_loop_is_not_answered_by_none(monkeypatch):
    rename(monkeypatch, "scan", "primitive")
    with pytest.raises(CannotRead, match="`scans`"):
        probe.primitives(lambda x: jax.lax.fori_loop(0, 9, lambda i, x: x * 2, x), np.float32(1))
