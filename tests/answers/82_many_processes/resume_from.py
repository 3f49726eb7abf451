"""Answers to resume-from."""

import re
from collections import defaultdict

from jaxcourse.exercise import equivalent, right, wrong


@right("resume-from")
def collects_the_parts_of_each_run(names):
    runs = defaultdict(set)
    for name in names:
        if found := re.fullmatch(r"(\d+)/part-(\d+)-of-(\d+)", name):
            step, part, count = map(int, found.groups())
            runs[step, count].add(part)
    return max((step for (step, count), parts in runs.items() if len(parts) == count), default=-1)


def newest_whole(names):
    steps = {int(name.split("/")[0]) for name in names if "/part-" in name}
    for step in sorted(steps, reverse=True):
        for count in range(1, len(names) + 1):
            if all(f"{step}/part-{part}-of-{count}" in names for part in range(count)):
                return step
    return -1


@right("resume-from")
def goes_back_from_the_newest(names):
    return newest_whole(names)


@right("resume-from")
def counts_what_ends_alike(names):
    ends = [(name.split("/")[0], name.rpartition("-of-")[2]) for name in names if "/part-" in name]
    return max((int(step) for step, count in ends if count == str(ends.count((step, count)))), default=-1)


@wrong("resume-from", "newest-of-all")
def the_newest_folder(names):
    return max((int(name.split("/")[0]) for name in names if "/" in name), default=-1)


@wrong("resume-from", "one-part-for-all")
def waits_for_the_last_process(names):
    found = [re.fullmatch(r"(\d+)/part-(\d+)-of-(\d+)", name) for name in names]
    return max((int(m[1]) for m in found if m and int(m[2]) + 1 == int(m[3])), default=-1)


@wrong("resume-from", "unfinished-parts")
def does_not_look_at_the_end_of_a_name(names):
    runs = defaultdict(set)
    for name in names:
        if found := re.match(r"(\d+)/part-(\d+)-of-(\d+)", name):
            step, part, count = map(int, found.groups())
            runs[step, count].add(part)
    return max((step for (step, count), parts in runs.items() if len(parts) == count), default=-1)


@wrong("resume-from", "two-runs-mixed")
def counts_the_parts_of_a_step(names):
    parts, counts = defaultdict(set), defaultdict(set)
    for name in names:
        if found := re.fullmatch(r"(\d+)/part-(\d+)-of-(\d+)", name):
            parts[int(found[1])].add(found[2])
            counts[int(found[1])].add(int(found[3]))
    return max((step for step in parts if len(parts[step]) >= min(counts[step])), default=-1)


@wrong("resume-from", "as-text")
def takes_the_largest_text(names):
    whole = [
        name.split("/")[0]
        for name in names
        if re.fullmatch(r"\d+/part-0-of-\d+", name)
        if all(name.replace("part-0", f"part-{r}") in names for r in range(int(name.rpartition("-")[2])))
    ]
    return int(max(whole, default=-1))


@wrong("resume-from", "not-a-step")
def leaves_it_a_text(names):
    return str(newest_whole(names))


@wrong("resume-from", "step-0-forgotten")
def asks_whether_it_is_true(names):
    return newest_whole(names) or -1


@wrong("resume-from", "step-0-forgotten")
def asks_whether_it_is_positive(names):
    found = newest_whole(names)
    return found if found > 0 else -1


@wrong("resume-from", "zero-for-none")
def begins_anew(names):
    return max(newest_whole(names), 0)


@wrong("resume-from", "wrong-value")
def knows_ten_processes_only(names):
    runs = defaultdict(set)
    for name in names:
        if found := re.fullmatch(r"(\d+)/part-(\d)-of-(\d)", name):
            step, part, count = map(int, found.groups())
            runs[step, count].add(part)
    return max((step for (step, count), parts in runs.items() if len(parts) == count), default=-1)


equivalents = [
    equivalent("resume-from", "`names`  ->  `there`", "each name comes once, in any order"),
    equivalent("resume-from", "`part`  ->  `name`", "the count stands behind the only `-of-` of a name"),
]
