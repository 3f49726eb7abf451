import numpy as np

from jaxcourse.exercise import right, wrong


@right("time-of-a-program")
def in_numpy(kernels, launch, bandwidth, peak):
    return of_a_table(kernels, launch, bandwidth, peak)


def of_a_table(kernels, launch, bandwidth, peak):
    table = np.array(kernels, float).reshape(-1, 2) / [bandwidth, peak]
    return len(kernels) * launch + table.max(axis=1).sum()


@wrong("time-of-a-program", "ZeroDivisionError")
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


@right("time-of-a-program")
def by_the_ridge_as_a_product(kernels, launch, bandwidth, peak):
    moved = sum(b for b, f in kernels if f * bandwidth <= b * peak)
    operations = sum(f for b, f in kernels if f * bandwidth > b * peak)
    return len(kernels) * launch + moved / bandwidth + operations / peak


@wrong("time-of-a-program", "merged")
def keeps_kernels_by_their_bytes(kernels, launch, bandwidth, peak):
    return of_a_table(list(dict(kernels).items()), launch, bandwidth, peak)


@wrong("time-of-a-program", "no-work-no-launch")
def skips_what_takes_no_time(kernels, launch, bandwidth, peak):
    least = [max(moved / bandwidth, operations / peak) for moved, operations in kernels]
    return sum(launch + each for each in least if each)
