"""What is kept about a machine, and when it is not believed."""

import json
import os
import time

import pytest

from jaxcourse.bench import Ceilings, _ceilings, _kept, bandwidth, ceilings

FOUND = {
    "platform": "cpu",
    "device": "cpu",
    "cores": 2,
    "bandwidth": 7.0,
    "matmul": 8.0,
    "dispatch": 9.0,
    "host_to_device": None,
}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "jaxcourse" / "ceilings.json"


@pytest.fixture
def measured(monkeypatch):
    """Counts measurements instead of making them."""
    count = []
    monkeypatch.setattr(_ceilings, "_measure", lambda: count.append(1) or Ceilings(**FOUND))
    return count


def test_ceilings_are_measured_once_and_kept(cache, measured):
    assert ceilings() == ceilings() == Ceilings(**FOUND)
    assert len(measured) == 1 and cache.exists()


def test_they_are_measured_again_when_asked(cache, measured):
    ceilings()
    ceilings(again=True)
    assert len(measured) == 2


def test_bandwidth_is_the_kept_one_on_the_same_platform_only(cache, measured, monkeypatch):
    ceilings()
    monkeypatch.setattr(_ceilings, "_bandwidth", lambda platform: 3.0)
    assert (bandwidth("cpu"), bandwidth("gpu")) == (7.0, 3.0)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: kept | {"time": time.time() - 2 * 86400},
        lambda kept: kept | {"time": time.time() + 3600},
        lambda kept: kept | {"machine": ["another"]},
        lambda kept: {"time": kept["time"]},
        lambda kept: [],
    ],
)
def test_what_is_old_foreign_or_broken_is_not_believed(cache, measured, spoil):
    ceilings()
    cache.write_text(json.dumps(spoil(json.loads(cache.read_text()))))
    ceilings()
    assert len(measured) == 2


@pytest.mark.parametrize(("where", "name"), [("jax", "__version__"), ("platform", "node"), ("os", "cpu_count")])
def test_another_machine_or_another_jax_measures_for_itself(cache, measured, monkeypatch, where, name):
    ceilings()
    another = "0.0.1" if name == "__version__" else lambda: 77
    monkeypatch.setattr(getattr(_kept, where), name, another)
    ceilings()
    assert len(measured) == 2


def test_a_file_that_is_no_json_is_not_believed(cache, measured):
    ceilings()
    cache.write_text("{")
    assert ceilings() == Ceilings(**FOUND) and len(measured) == 2


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path, monkeypatch, measured):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    assert ceilings() == Ceilings(**FOUND)
    assert _kept.read() is None and os.listdir(tmp_path) == ["a file"]
