"""What the exercises of lesson 11 share: what `vmap` complains of, told by its message."""


def complains(*parts):
    """A test of what was raised: whether its message has one of several parts."""
    return lambda error: any(part in error.raised.message for part in parts)


UNEQUAL = complains("inconsistent sizes", "all mapped array")
"""Mapped axes differ in length."""
MISSING = complains("rank should be at least", "axis specification must")
"""An axis is to be mapped that is not there."""
STRUCTURE = complains("in_axes must be", "must be a tree prefix", "must match")
"""`in_axes` does not have the structure of the arguments."""


def axes_clash(error):
    """Whether mapped axes differ in length, or one is not there."""
    return UNEQUAL(error) or MISSING(error)
