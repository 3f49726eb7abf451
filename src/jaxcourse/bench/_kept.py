"""Keeps what was measured about this machine, so that later lessons measure themselves against the same numbers."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import jax

KEPT_SECONDS = 24 * 3600
"""After a day it may be another machine, or a busier one: what is older is measured again."""


def _file() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "jaxcourse" / "ceilings.json"


def _machine() -> list[str]:
    """What must be the same for a measurement to be of use."""
    device = jax.local_devices()[0]
    return [platform.node(), str(os.cpu_count()), device.device_kind, device.platform, jax.__version__]


def read() -> dict[str, Any] | None:
    """What was kept about this machine within a day, or None."""
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))
        young = 0 <= time.time() - kept["time"] < KEPT_SECONDS
        ceilings: dict[str, Any] = kept["ceilings"]
        return ceilings if young and kept["machine"] == _machine() else None
    except (OSError, ValueError, KeyError, TypeError):  # not there, not readable, or not ours
        return None


def write(ceilings: dict[str, Any]) -> None:
    """Keep what was measured; where nothing can be written, nothing is kept."""
    text = json.dumps({"time": time.time(), "machine": _machine(), "ceilings": ceilings})
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        _file().write_text(text, encoding="utf-8")
