"""A lesson of one race, and a record of it on a device that nobody has."""

from pathlib import Path

from jaxcourse_author.recorded import FOLDER, Machine, Measurement, Output, Piece, Record, code_cells, measured_cells

LESSON = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# Toy

(a-race)=
## A race

```{predict}
---
fields:
- ask: slower by
  kind: number
  factor: 2
  unit: times
  reads: 'takes (.+) times'
- ask: kernels
  kind: number
  reads: '(\\d+) kernels'
---
By which factor?
```

```{code-cell} ipython3
import time

begin = time.perf_counter()
print("it takes 3.0 times as long, in 2 kernels")
```

```{code-cell} ipython3
print("begun", begin > 0)
```

```{code-cell} ipython3
print("nothing of time")
```
"""
STEM = "01_toy"
MACHINE = Machine("NVIDIA H200", "gpu", 1, "Xeon", 16, "Linux x86_64")
LABEL = "NVIDIA H200, 2026-12-01, JAX 0.10.2"
VERSIONS = {"Python": "3.12.1", "jax": "0.10.2"}
TABLE = '<div><table><caption>Times</caption><tr><th scope="row">n</th><td>3</td></tr></table></div>'


def lesson(root: Path, text: str = LESSON) -> Path:
    """A course of the lesson alone; its file."""
    path = root / "notebooks" / f"{STEM}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: notebooks/{STEM}\n", encoding="utf-8")
    return path


def record(path: Path) -> Record:
    """What the device of `MACHINE` took of the lesson."""
    first, second = measured_cells(code_cells(path))
    shown = Output("text", "it takes 50.0 times as long, in 1 kernels\n"), Output("html", TABLE)
    taken = {first: Measurement(shown), second: Measurement(why="KeyError: 'begin'")}
    return Record(MACHINE, VERSIONS, {STEM: Piece("2026.11.0", "2026-12-01", taken)})


def write(root: Path, name: str = "nvidia-h200") -> Path:
    """Write the lesson and its record; the record's file."""
    into = root / FOLDER / f"{name}.json"
    record(lesson(root)).write(into)
    return into
