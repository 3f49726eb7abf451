"""Try each version that a page names on both of its sides: `python tests/boundaries.py`, or `make test-versions`.

A build of the pages holds their claims on the versions of one stack, and so says nothing of a change between two of
them. Here every release that a claim names is installed, and the one before it, each beside the same other libraries
and for as long as its claims are tried: all claims about a package run on all of its releases that are installed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from stack import find_python, run

from jaxcourse_author import eras
from jaxcourse_author.eras import Claim, Outcome, numbers

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "book").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?::[^\n]*\n)*(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = "3.13"
"""Colab's: the oldest and the newest release that the course runs on are both built for it."""
BESIDE = ["flax==0.12.1", "jax==0.8.3", "jaxlib==0.8.3", "numpy==2.3.5", "pandas==2.3.3"]
"""What is there whichever release is tried: each fits all releases of the others. Pinned, since `pip` would search."""
PARTS = {"jax": ["jax=={}", "jaxlib<={}"]}
"""What a release consists of, where it is more than the package itself."""
LIMIT = 300
"""Seconds for all claims about a package on one release."""


@dataclass(frozen=True)
class Row:
    """A claim of a page, and the imports of the page that its code needs."""

    page: str
    claim: Claim
    imports: str


@dataclass(frozen=True)
class Finding:
    """What a claim gave on a release."""

    row: Row
    version: str
    got: str

    @property
    def holds(self) -> bool:
        """Whether it is what the page says."""
        return self.got == self.row.claim.expected(self.version)


def rows_of(page: Path) -> list[Row]:
    """All claims about versions in the cells of a page, in order."""
    cells = ast.parse("\n".join(CELL.findall(page.read_text(encoding="utf-8"))))
    imports = imported(cells)
    found = []
    for call in ast.walk(cells):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            for claim in claims_of(call.func.attr, call):
                found.append(Row(page.stem, claim, "\n".join(needed(claim.code, imports))))
    return found


def claims_of(method: str, call: ast.Call) -> list[Claim]:
    """What a call of a method of `Eras` claims."""
    reader = getattr(eras, f"claims_of_{method}", None)
    if reader is None:
        return []
    words = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    claims: list[Claim] = reader(*map(ast.literal_eval, call.args), **words)
    return claims


def imported(cells: ast.Module) -> dict[str, str]:
    """The import statement that binds each name."""
    found = {}
    for statement in cells.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for name in statement.names:
                found[name.asname or name.name.partition(".")[0]] = ast.unparse(statement)
    return found


def needed(code: str, imports: dict[str, str]) -> list[str]:
    """The imports whose names a piece of code uses."""
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    return sorted({imports[name] for name in used & set(imports)})


def floors() -> dict[str, str]:
    """The oldest version of each package on which the course runs: Colab's."""
    pins = (ROOT / "requirements-colab.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)==([\w.]+)", pins, re.MULTILINE))


def boundaries(claims: Iterable[Claim], floor: str) -> list[str]:
    """The versions that claims name, as far as the course runs on both of their sides; the earliest first."""
    named = {version for claim in claims for version in claim.since}
    return sorted((version for version in named if numbers(version) > numbers(floor)), key=numbers)


def both_sides(named: list[str], releases: list[str]) -> list[str]:
    """The releases to be tried: for each version the first that is not older, and the last that is.

    Example:
        >>> both_sides(["0.9.0"], ["0.8.3", "0.9.0.1", "0.9.0", "0.8.1"])
        ['0.8.3', '0.9.0']
    """
    first: dict[tuple[int, ...], str] = {}
    for release in sorted(releases, key=lambda release: [int(part) for part in release.split(".")]):
        first.setdefault(numbers(release), release)
    tried = set()
    for version in named:
        tried |= {max((each for each in first if each < numbers(version)), default=None)}
        tried |= {min((each for each in first if each >= numbers(version)), default=None)}
    return [first[each] for each in sorted(each for each in tried if each)]


def releases_of(python: Path, package: str) -> list[str]:
    """All releases that `pip` could install, without those that are no releases yet."""
    told = run([python, "-m", "pip", "index", "versions", "--disable-pip-version-check", package])
    found = re.search(r"^Available versions: (.+)$", told, re.MULTILINE)
    return [] if found is None else re.findall(r"(?<![\w.])\d[\d.]*(?=,|$)", found[1])


IN_THE_PROCESS = """
import dataclasses, json, sys, types
package = types.ModuleType("jaxcourse")  # without its `__init__`, which imports JAX: some releases stand alone
package.__path__ = [f"{sys.argv[1]}/jaxcourse"]
sys.modules["jaxcourse"] = package
sys.path.append(sys.argv[1])
from jaxcourse_author import eras
found = []
for imports, code in json.load(sys.stdin):
    names = {}
    try:
        exec(imports, names)
    except Exception as error:
        found.append({"kind": "raises", "text": f"no import: {error!r}", "warning": ""})
        continue
    found.append(dataclasses.asdict(eras.run(code, names)))
print(json.dumps(found))
"""


def outcomes_in(python: str | Path, pieces: Sequence[Sequence[str]], environment: dict[str, str]) -> list[Outcome]:
    """What comes of pieces of code, each after its imports, in one process with eight simulated devices."""
    done = subprocess.run(
        [python, "-c", IN_THE_PROCESS, ROOT / "src"],
        input=json.dumps(list(map(list, pieces))),
        env=os.environ | {"JAX_NUM_CPU_DEVICES": "8", "JAX_PLATFORMS": "cpu"} | environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    return [Outcome(**each) for each in json.loads(done.stdout)]


def tried_on(python: Path, package: str, version: str, rows: list[Row]) -> list[Finding]:
    """Install a release, try all rows on it in one process, and remove it."""
    with TemporaryDirectory() as folder:
        parts = [part.format(version) for part in PARTS.get(package, [f"{package}=={{}}"])]
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--target", folder]
        run([python, "-m", "pip", "install", *options, *parts])
        try:
            outcomes = outcomes_in(python, [(row.imports, row.claim.code) for row in rows], {"PYTHONPATH": folder})
        except subprocess.CalledProcessError as error:
            sys.exit(f"{package} {version}: the process that tries the claims failed:\n{error.stderr}")
    findings = [
        Finding(row, version, row.claim.words_for(outcome)) for row, outcome in zip(rows, outcomes, strict=True)
    ]
    say(f"{package} {version}: {sum(each.holds for each in findings)} of {len(findings)} claims hold")
    return findings


def report(rows: list[Row], findings: list[Finding]) -> int:
    """A line for each claim, and a line more for each release on which it does not hold; the exit status."""
    wrong = [each for each in findings if not each.holds]
    for row in rows:
        refuted = [each for each in wrong if each.row is row]
        told = ", ".join(f"{version} {what or 'runs'}" for version, what in row.claim.since.items())
        print(f"{'✗' if refuted else '✓'} {row.claim.package}: {row.claim.code.splitlines()[-1]}: {told}")
        for each in refuted:
            expected = row.claim.expected(each.version) or "runs"
            print(f"    on {each.version} the page says {expected!r}, and it is {each.got or 'runs'!r}")
    releases = {(each.row.claim.package, each.version) for each in findings}
    say(f"{len(rows)} claims on {len(releases)} releases; {len(wrong)} of {len(findings)} trials say otherwise")
    return 1 if wrong else 0


def say(words: str) -> None:
    """Say what is being done."""
    print(f"== versions: {words}", flush=True)


def main() -> int:
    """Install what stands beside, then try each release; the exit status is 0 if every claim holds on both sides."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("packages", nargs="*", help="whose versions to try (default: all that a page names)")
    chosen = options.parse_args().packages
    rows = [row for page in PAGES for row in rows_of(page)]
    by_package: dict[str, list[Row]] = {}
    for package, floor in floors().items():
        tried = [row for row in rows if row.claim.package == package and boundaries([row.claim], floor)]
        if tried and (not chosen or package in chosen):
            by_package[package] = tried
    with TemporaryDirectory() as folder:
        python = Path(folder, "bin", "python")
        run([find_python(PYTHON), "-m", "venv", folder])
        say(f"installing {', '.join(BESIDE)}")
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", *BESIDE])
        jobs = []
        for package, tried in by_package.items():
            named = boundaries([row.claim for row in tried], floors()[package])
            jobs += [(package, release, tried) for release in both_sides(named, releases_of(python, package))]
        with ThreadPoolExecutor(2) as pool:
            findings = [one for found in pool.map(lambda job: tried_on(python, *job), jobs) for one in found]
    return report([row for tried in by_package.values() for row in tried], findings)


if __name__ == "__main__":
    sys.exit(main())
