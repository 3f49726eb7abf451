"""The cosine of a large array, on one device and on all."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxcourse import devices
from jaxcourse.bench import Entry, Race, entry
from jaxcourse_author.headlines._headline import Claim, Headline, Least, busy

SOURCE = "002, on JAX and Flax"
WIDTH = 1_000


def several(platform: str) -> None:
    """Simulated devices, where there is no accelerator."""
    if platform == "cpu":
        devices.simulate()


def contestants(rows: int) -> dict[str, Entry]:
    """The same array on one device and split by rows over all of them."""
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    even = rows - rows % len(jax.devices())
    cosine, x = jax.jit(jnp.cos), jax.random.normal(jax.random.key(0), (even, WIDTH))
    split = NamedSharding(mesh, PartitionSpec("rows", None))
    return {
        "one device": entry(cosine, jax.device_put(x, jax.devices()[0])),
        "all devices": entry(cosine, jax.device_put(x, split)),
    }


def shared(race: Race) -> str:
    """What simulated devices have in common."""
    many = len(jax.devices())
    if jax.default_backend() != "cpu":
        return f"{many} accelerator{'s' * (many > 1)} here."
    return (
        f"{many} simulated devices share {race.cores} cores, which one device uses as well. "
        f"{busy(race, 'one device', 'all devices')}."
    )


DEVICES = Headline(
    name="devices",
    title="The cosine of an array, on one device and on all, float32",
    variable="rows",
    sizes=(80, 800, 8_000),
    contestants=contestants,
    claims=(Claim("0.56 s on one device, 0.32 on eight", SOURCE, "all devices", "one device", shared, times=1.8),),
    least=lambda rows: Least(nbytes=2 * 4 * rows * WIDTH),
    set_up=several,
)
