"""What the exercises of lesson 10 share."""

from jaxcourse import inputs


def contiguous(rng, dtype, rows, columns, order):
    """A contiguous array; in the middle of a larger one, or read-only, if chance will have it."""
    if order == "F":
        return contiguous(rng, dtype, columns, rows, "C").T
    seconds = dtype == "datetime64[s]"
    block = inputs.array(rng, (rows + 2, columns), "int64" if seconds else dtype)
    block = block.view(dtype) if seconds else block
    x = block[1:-1] if rng.random() < 0.5 else block[1:-1].copy()
    x.flags.writeable = bool(rng.random() < 0.7)
    return x


def in_both_orders(rng, shapes):
    """Pairs of arrays, in C order and in F order, of every shape and several dtypes."""
    dtypes = ["float64", "float32", "int16", "complex128", "uint8", "datetime64[s]"]
    drawn = [
        [contiguous(rng, dtypes[k % 6], *shape, order) for order in "CF"]
        for k, shape in enumerate([*shapes, *shapes[1:]])
    ]
    # `None` makes an axis of length 1 with a stride of 0: contiguous in both orders, since nobody walks along it.
    alone = contiguous(rng, "float64", 1, 5, "C")[0]
    return [*drawn, [alone[:, None], alone[None, :]]]
