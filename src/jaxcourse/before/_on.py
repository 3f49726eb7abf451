"""A call on a device that has a name and is not here: how long it takes at least, and whether the device has room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jax.numpy as jnp

from jaxcourse.before._devices import Device
from jaxcourse.before._needed import Needed, needed
from jaxcourse.before._said import Said
from jaxcourse.markup import as_text
from jaxcourse.table import Report, Table, number, si

PRODUCTS = ("product", "loop product")
SAYS = (
    "This is no measurement. The least time follows from a data sheet, and from what any compiler must do: read the "
    "arguments that are needed whole, write the results, compute the matrix products at their peak, and launch each "
    "turn of a loop on a GPU. For a launch, 1 µs is assumed: no data sheet names it. All three may overlap, so the "
    "longest of them counts. How much more it takes is not said: all other arithmetic, the kernels that its compiler "
    "makes, and copies between it and the host count for nothing here."
)


@dataclass(frozen=True, repr=False)
class OnDevice(Report):
    """What is certain of a call on a named device.

    Args:
        device: what its data sheet says.
        needs: what any compiler must do.
        held: bytes of arguments and results at least; what is given away may hold results.
        temporaries: bytes besides, as the compiler that is installed here has them.
        why_not: why no time is said; empty if one is.
    """

    device: Device
    needs: Needed
    held: int
    temporaries: int
    why_not: str = ""

    @property
    def launching(self) -> float:
        """Seconds for one launch in each turn of a loop, and for one at least, as assumed."""
        return self.needs.turns * self.device.launch

    @property
    def moving(self) -> float:
        """Seconds to read and write what its last cache cannot keep, at the bandwidth of the data sheet."""
        beyond = (max(0.0, size - self.device.cache) for size in (self.needs.read, self.needs.written))
        return sum(beyond) / self.device.bandwidth

    @property
    def multiplying(self) -> float:
        """Seconds for the matrix products of the dtypes of which the data sheet has a rate."""
        rates = self.device.products
        return sum(operations / rates[name] for name, operations in self.needs.products.items() if name in rates)

    @property
    def _parts_of_time(self) -> Mapping[str, float]:
        return {"launching": self.launching, "memory": self.moving, "products": self.multiplying}

    @property
    def at_least(self) -> float | None:
        """Seconds of a call at least; None if nothing is said. It is no estimate: it may take many times as long."""
        return None if self.why_not else max(self._parts_of_time.values())

    @property
    def mostly(self) -> str:
        """What most of that is: `launching`, `memory` or `products`."""
        return max(self._parts_of_time, key=lambda name: self._parts_of_time[name])

    @property
    def fits(self) -> bool:
        """Whether arguments and results have room in its memory; temporaries are another compiler's."""
        return self.held <= self.device.memory

    def _parts(self) -> list[Table | str]:
        rows = [
            ["a call", self._time],
            ["launches", self._launches],
            ["memory: read and written", f"{si(self.needs.read, 'B')} and {si(self.needs.written, 'B')}"],
            ["matrix products", self._products],
            ["arguments and results", self._room],
            ["temporaries", f"{si(self.temporaries, 'B')} with the compiler that is here; its own may need others"],
        ]
        table = Table(f"On {self.device.name}", ["what", "so it is"], rows)
        return [table, *self._reserves(), SAYS, f"Figures: {self.device.source}."]

    def __repr__(self) -> str:
        return "\n".join(str(one) if isinstance(one, Table) else as_text(one) + "\n" for one in self._parts()).strip()

    @property
    def _time(self) -> str:
        if not self.at_least:
            return "not said"
        return f"at least {si(self.at_least, 's')}, mostly {self.mostly}"

    @property
    def _launches(self) -> str:
        if not self.device.launch:
            return "not counted: a TPU is given the whole program at once"
        return f"at least {self.needs.turns:,}"

    @property
    def _products(self) -> str:
        named = [f"{number(one / 1e9)} GFLOP in {name}" for name, one in self.needs.products.items()]
        return ", ".join(named) or "none that are certain"

    @property
    def _room(self) -> str:
        room = f"{si(self.held, 'B')} of {si(self.device.memory, 'B')}"
        if not self.fits:
            return f"{room}: they don't fit"
        whole = self.held + self.temporaries <= self.device.memory
        return f"{room}: they fit{'' if whole else ', but with these temporaries they would not'}"

    def _reserves(self) -> list[str]:
        found = [f"**No time is said**: {self.why_not}"] if self.why_not else []
        if self.needs.open:
            found.append("A loop of unknown length counts for no turn.")
        if strange := sorted(set(self.needs.products) - set(self.device.products)):
            found.append(f"Products in {', '.join(strange)} count for nothing: the data sheet has no rate for them.")
        return found


def on_device(said: Said, device: Device) -> OnDevice:
    """What is certain of a call on a device."""
    program = said.asked.program
    sizes = [sum(one.nbytes for one in values if not one.is_key) for values in (program.inputs, program.outputs)]
    held = max(sizes) if said.asked.donates else sum(sizes)  # what is given away may hold a result
    return OnDevice(device, _certain(said), held, said.temporaries, _why_not(said))


def _why_not(said: Said) -> str:
    split = any(getattr(getattr(leaf, "sharding", None), "num_devices", 1) > 1 for leaf in said.asked.leaves)
    split = split or any(one.is_mapped for one in said.asked.program.everything)
    if split or said.collectives or said.sent is None:
        return "the call is split over several devices, and this is about one."
    return ""


def _certain(said: Said) -> Needed:
    """What any compiler must do, and no more than the one that is here does: it leaves out what is of no use."""
    needs = needed(said.asked.program, said.asked.donates)
    read, written, turns, products = needs.read, needs.written, needs.turns, needs.products
    if said.asked.donates:
        written = 0  # a result in the memory of an argument may be written in part
    if said.bytes is not None and not said.unread and read + written > said.bytes:
        read, written = 0, min(written, said.bytes)
    if said.launches is not None:
        turns = max(1, min(turns, said.launches))
        products = _no_more_than_here(said, products)
    return Needed(read, written, turns, products, needs.open)


def _no_more_than_here(said: Said, products: dict[str, float]) -> dict[str, float]:
    """The same products without those that the compiler here leaves out: of those with the widest factors first."""
    kernels = [one for one in said.parts if one.kind == "product" or any(name in one.work for name in PRODUCTS)]
    sums = [sum(one.work[name].most for name in PRODUCTS if name in one.work) for one in kernels]
    each = [min(n, one.operations) * (one.runs or 0) for n, one in zip(sums, kernels, strict=True)]
    if not all(each):  # a library's product, of which the text says no length
        return products
    left, found = float(sum(each)), dict[str, float]()
    for name in sorted(products, key=_width):
        found[name] = min(products[name], left)
        left -= found[name]
    return {name: operations for name, operations in found.items() if operations}


def _width(name: str) -> int:
    """Bytes of a dtype. An algorithm has none: the data sheet has no rate for it."""
    try:
        return int(jnp.dtype(name).itemsize)
    except TypeError:
        return 0
