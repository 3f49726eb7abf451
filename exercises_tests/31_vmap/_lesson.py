"""What the exercises of lesson 31 share: what `vmap` complains of, told by its message."""


def complains(*parts):
    """A test of what was raised: whether its message has one of several parts."""
    return lambda error: any(part in error.raised.message for part in parts)


UNEQUAL = complains("inconsistent sizes", "all mapped array")
"""Mapped axes differ in length."""
MISSING = complains("rank should be at least", "axis specification must")
"""An axis is to be mapped that is not there."""
OF_A_NUMBER = complains("should be at least 1, but is only 0")
"""A number is to be mapped, which has no axis at all."""
STRUCTURE = complains("in_axes must be", "in_axes specification must be")
"""`in_axes` does not have the structure of the arguments."""


def in_its_terms(error):
    """Whether what failed is not merely a misspelt name, in a branch that only other arguments reach."""
    return error.raised.kind not in ("NameError", "UnboundLocalError")


def axes_clash(error):
    """Whether mapped axes differ in length, or one is not there."""
    return UNEQUAL(error) or MISSING(error)
