"""Notebooks of honest students for a lesson of three exercises, each with something that a grader could stumble over.

Each is a list of code cells, as they were left. The answers are right unless `LOST` names an exercise.
"""

SETUP = "import jax\nimport numpy as np\n\nfrom jaxcourse import bench, check, hint, solution, stack"
CENTRE = "# exercise: centre-columns\ndef centre_columns(x):\n    return x - x.mean(axis=0)"
AXIS = '# exercise: which-axis\nwhich_axis = {"x.mean(axis=0)": (3,), "x.mean(axis=1)": (5,)}'
TIME = "# exercise: least-time\ndef least_time(n, itemsize, bandwidth):\n    return 2 * n * itemsize / bandwidth"
CHECKS = {name: f'check("{name}")' for name in ("centre-columns", "which-axis", "least-time")}


def cells(centre: str | list[str] = CENTRE, axis: str = AXIS, time: str | list[str] = TIME, **more: str) -> list[str]:
    """The cells of a notebook: the set-up, each answer and its check; `top` and `end` are cells around them."""
    answers = zip((centre, axis, time), CHECKS.values(), strict=True)
    parts = [[*([one] if isinstance(one, str) else one), asked] for one, asked in answers]
    around = [more["top"]] if "top" in more else [], [more["end"]] if "end" in more else []
    return [SETUP, *around[0], *(cell for part in parts for cell in part), *around[1]]


def doing(*lines: str, name: str = "centre_columns") -> str:
    """The first answer, with something done on its way."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"# exercise: centre-columns\ndef {name}(x):\n{body}    return x - x.mean(axis=0)"


def factor(code: str) -> str:
    """The last answer, with its constant from elsewhere."""
    return TIME.replace("2 * n", f"{code} * n")


FACTOR = "COPY = 2"
BY_HELPER = "# exercise: centre-columns\ndef centre_columns(x):\n    return x - mean_of(x)"
BY_ITS_NAME = BY_HELPER.replace("mean_of(x)", 'globals()["mean_of"](x)')
HELPER = "def mean_of(x):\n    return x.mean(axis=0)"
OTHER_HELPER = "def mean_of(x):\n    return 0"
SHELF = "shelf = {}\n\ndef put(name, thing):\n    shelf[name] = thing"
WAITS = "import time\n\ntime.sleep(1000)"

HONEST = {
    "reads a constant by globals": cells(time=[FACTOR, factor('globals()["COPY"]')]),
    "reads a constant by eval": cells(time=[FACTOR, factor('eval("COPY")')]),
    "reads a constant by eval, without checks": [SETUP, CENTRE, AXIS, FACTOR, factor('eval("COPY")')],
    "calls a helper by its name": cells([HELPER, BY_ITS_NAME]),
    "has a local named devices": cells(doing("devices = modules = gc = x.shape[0]")),
    "counts its calls": cells(doing("centre_columns.calls += 1") + "\n\ncentre_columns.calls = 0"),
    "collects garbage": cells(doing("import gc", "gc.collect()")),
    "measures itself": cells(["import inspect, timeit, tracemalloc", doing("timeit.default_timer()")]),
    "asks for the running frame": cells(doing("import sys", "name = sys._getframe().f_code.co_name")),
    "fills a shelf by calls": cells(
        [SHELF, f"{doing(name='mine')}\n\nput('mine', mine)", "centre_columns = shelf['mine']"]
    ),
    "binds its answer by globals": cells("globals()['centre_columns'] = lambda x: x - x.mean(axis=0)"),
    "writes a module and imports it": cells([f"%%writefile mine.py\n{HELPER}", f"from mine import *\n{BY_HELPER}"]),
    "awaits": cells([CENTRE, "async def give():\n    return 2"], time=f"two = await give()\n{factor('two')}"),
    "has a helper below, run out of order": cells([BY_HELPER, CHECKS["centre-columns"], HELPER]),
    "has a value above what it is made of": cells(axis=AXIS.replace("(3,)", "three"), end="three = (3,)"),
    "uses a helper's name again": cells([HELPER, BY_HELPER], end=OTHER_HELPER),
    "uses a helper's name again, without checks": [SETUP, HELPER, BY_HELPER, OTHER_HELPER, AXIS, TIME],
    "uses the answer's name again": cells(end="centre_columns = 'done'"),
    "has a demonstration that takes long": cells(end=WAITS),
    "has a demonstration above that takes long": cells(top=WAITS),
    "has a demonstration that fails": cells(top="1 / 0"),
    "asks for input": cells(top="name = input('Who are you? ')"),
    "ends with exit": cells(end="exit()"),
    "begins with a failed assertion": cells(top="x = np.ones(3)\nassert x.sum() == 4, 'why?'"),
    "answers another with a loop that never ends": cells(doing("while True:", "    pass")),
    "loops where it tries another": cells([CENTRE, "n = 0\nwhile n >= 0:\n    n += 1"]),
    "kills the kernel in another": cells(doing("import os", "os.abort()")),
    "takes all memory in another": cells(doing("x = np.ones((2**18, 2**18))")),
    "prints much": cells(doing("print(x)")),
    "has a broken cell": cells(end="def half(:\n    pass"),
    "has a broken answer": cells("# exercise: centre-columns\ndef centre_columns(x)\n    return x"),
    "answers another wrongly": cells("# exercise: centre-columns\ndef centre_columns(x):\n    return x - x.mean()"),
}
"""The notebooks by what is odd about them."""

LOST = {
    "answers another with a loop that never ends": {"centre-columns"},
    "kills the kernel in another": {"centre-columns"},
    "takes all memory in another": {"centre-columns"},
    "has a broken answer": {"centre-columns"},
    "answers another wrongly": {"centre-columns"},
}
"""The exercises that are not answered rightly."""
