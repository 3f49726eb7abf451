import numpy as np

from jaxcourse.exercise import right, wrong


@right("time-of-a-program")
def in_numpy(kernels, launch, bandwidth, peak):
    table = np.array(kernels, float).reshape(-1, 2) / [bandwidth, peak]
    return len(kernels) * launch + table.max(axis=1).sum()


@right("time-of-a-program")
def by_intensity(kernels, launch, bandwidth, peak):
    seconds = launch * len(kernels)
    for moved, operations in kernels:
        if operations / moved < peak / bandwidth:
            seconds += moved / bandwidth
        else:
            seconds += operations / peak
    return seconds


@wrong("time-of-a-program", "wrong-value")
def the_slowest_kernel(kernels, launch, bandwidth, peak):
    return max((launch + max(moved / bandwidth, work / peak) for moved, work in kernels), default=0.0)


@wrong("time-of-a-program", "wrong-value")
def rates_added(kernels, launch, bandwidth, peak):
    return sum(launch + (moved + work) / (bandwidth + peak) for moved, work in kernels)
