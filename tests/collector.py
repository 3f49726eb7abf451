"""What the garbage collector knows, for tests in which it searches all of that."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def libraries_forgotten() -> Iterator[None]:
    """Have it forget, for a while, every object that there is now.

    JAX looks for the holders of a leaked tracer in all objects that the collector knows, which takes long where much
    has been imported. What holds one must have been made inside.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
