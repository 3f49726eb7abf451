"""What authors run: `jaxcourse notebooks`, `check`, `concepts`, `preset`, `judge`, `new`, `move`, `rename` and more."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from jaxcourse.cli import root_of

if TYPE_CHECKING:
    from jaxcourse.course import Course


def add_to(commands: Any) -> None:
    """Add these commands to those of `jaxcourse`.

    Args:
        commands: what `argparse.ArgumentParser.add_subparsers` gives.
    """
    _add_notebooks(commands)
    _add_check(commands)
    _add_concepts(commands)
    _add_preset(commands)
    _add_judge(commands)
    _add_new(commands)
    _add_move(commands)
    _add_rename(commands)
    _add_address(commands)
    _add_bench(commands)
    _add_record(commands)
    _add_release(commands)


def _add_notebooks(commands: Any) -> None:
    make = commands.add_parser("notebooks", help="write the notebooks that are generated from notebooks/*.md")
    make.add_argument("--check", action="store_true", help="write nothing: name what is stale and fail")
    make.set_defaults(run=_notebooks)


def _add_check(commands: Any) -> None:
    prove = commands.add_parser("check", help="prove that lessons and checks hold together")
    prove.add_argument(
        "only", nargs="*", metavar="LESSON[/EXERCISE]", help="only these, by any unambiguous beginning (default: all)"
    )
    prove.add_argument("--quick", action="store_true", help="do not run whole notebooks")
    prove.add_argument("--inputs", metavar="EXERCISE", help="prove nothing: list what its check asks of an answer")
    prove.add_argument("--mutants", action="store_true", help="prove that small changes of the solutions are refused")
    prove.add_argument(
        "--since",
        nargs="?",
        const="",
        metavar="COMMIT",
        help="only exercises that have changed since then (default: since the branch left origin/main)",
    )
    prove.add_argument("--most", type=int, metavar="N", help="with --mutants: whole exercises, up to N mutants or so")
    prove.add_argument(
        "--seeds", type=int, metavar="N", help="judge solutions on N draws of inputs, listed answers on N/6"
    )
    prove.add_argument("--watch", action="store_true", help="write and prove, quickly, what is saved")
    prove.add_argument("-v", "--verbose", action="store_true", help="name each rule that holds, too")
    prove.set_defaults(run=_check)


def _add_concepts(commands: Any) -> None:
    said = commands.add_parser(
        "concepts",
        help="say what is used before it is explained, and when each concept is explained",
        description="Without an option, print each use of a concept that neither its section, nor one before it, nor a "
        "link right there explains. book/concepts.yml says what is a concept.",
    )
    said.add_argument("only", nargs="*", metavar="LESSON", help="only these, by any unambiguous beginning")
    how = said.add_mutually_exclusive_group()
    how.add_argument("--road", action="store_true", help="instead: after how many core minutes each is explained")
    how.add_argument("--way", metavar="LABEL", help="instead: the shortest way to a section or a concept")
    how.add_argument("--path", metavar="NAME", help="instead: the sections of a path of book/paths.yml")
    said.set_defaults(run=_concepts)


def _add_preset(commands: Any) -> None:
    taught = commands.add_parser(
        "preset",
        help="make the lessons of one path the syllabus of this copy",
        description="Remove from _toc.yml the lines of all lessons in which the path has no section, and of parts that "
        "are then empty. Without NAME, list the paths, which book/paths.yml declares.",
    )
    taught.add_argument("name", nargs="?", default="", metavar="NAME", help="the path's, such as two-days")
    taught.set_defaults(run=_preset)


def _add_judge(commands: Any) -> None:
    judge = commands.add_parser(
        "judge",
        help="judge other people's answers, and say which are not judged as expected",
        description="Judge files of answers in pieces. Each begins with `# %% exercise-name | right | how` or "
        "`# %% exercise-name | wrong | what a teacher would say`, and is the code of the task's cell.",
    )
    judge.add_argument("files", nargs="+", type=Path, metavar="FILE.py")
    judge.add_argument("--json", action="store_true", help="one JSON text instead of lines")
    judge.add_argument("--seconds", type=float, default=60, help="for one answer (default: 60)")
    judge.set_defaults(run=_judge)


def _add_new(commands: Any) -> None:
    new = commands.add_parser("new", help="write the skeleton of an exercise or a lesson").add_subparsers(
        required=True, metavar="WHAT"
    )
    task = new.add_parser("exercise", help="write an exercise into a lesson, and its check into a file of its own")
    task.add_argument("lesson", metavar="NN_topic")
    task.add_argument("name", help="such as centre-columns; its answer is the variable centre_columns")
    kinds = task.add_mutually_exclusive_group()
    for kind, how in (("prediction", "by a value, not by a function"), ("puzzle", "by a function of few primitives")):
        kinds.add_argument(f"--{kind}", dest="kind", action="store_const", const=kind, help=f"it is answered {how}")
    task.set_defaults(run=_new_exercise, kind="function")
    lesson = new.add_parser("lesson", help="write a lesson and its line in _toc.yml")
    lesson.add_argument("lesson", metavar="NN_topic")
    lesson.add_argument("title")
    lesson.set_defaults(run=_new_lesson)


def _add_move(commands: Any) -> None:
    move = commands.add_parser("move", help="give a lesson another name, or a section another lesson").add_subparsers(
        required=True, metavar="WHAT"
    )
    lesson = move.add_parser(
        "lesson",
        help="its files, links and tests get the new name; book/moved.yml keeps the old one",
        description="Give a lesson another name: its files, what links to it, tests. What readers have under the old "
        "name, in notebooks, marks and links, leads to the new one: book/moved.yml keeps both.",
    )
    lesson.add_argument("old", metavar="OLD", help="its name, or the beginning of it")
    lesson.add_argument("new", metavar="NN_topic")
    lesson.add_argument("--dry-run", action="store_true", help="write nothing: say what would be changed")
    lesson.set_defaults(run=_move_lesson)
    section = move.add_parser(
        "section",
        help="its text goes to another lesson, with its exercises, their checks and answers",
        description="Move a section, with those in it, behind another section of any lesson. Labels and names stay, so "
        "links and what readers have solved find it. It is refused while it runs names that would stay behind.",
    )
    section.add_argument("label", metavar="LABEL", help="the section's")
    section.add_argument("--to", required=True, metavar="LESSON", help="its name, or the beginning of it")
    section.add_argument("--after", required=True, metavar="LABEL", help="of the section behind which it stands then")
    section.add_argument("--dry-run", action="store_true", help="write nothing: say what would be changed")
    section.set_defaults(run=_move_section)


def _add_rename(commands: Any) -> None:
    rename = commands.add_parser("rename", help="give an exercise another name").add_subparsers(
        required=True, metavar="WHAT"
    )
    task = rename.add_parser(
        "exercise",
        help="its lesson, check, answers and links get the new name; book/moved.yml keeps the old one",
        description="Give an exercise another name, and its variable: in its lesson, its check, its answers, tables of "
        "the book, links and tests. What readers have under the old name, in notebooks, records, marks and links, is "
        "that of the new: book/moved.yml keeps both. Lines that only say the word are listed, and left.",
    )
    task.add_argument("old", metavar="OLD", help="its name")
    task.add_argument("new", metavar="NEW", help="such as centre-columns; its answer is the variable centre_columns")
    task.add_argument("--dry-run", action="store_true", help="write nothing: say what would be changed")
    task.set_defaults(run=_rename_exercise)


def _add_address(commands: Any) -> None:
    where = commands.add_parser(
        "address",
        help="say where this copy of the course lives, and what it is called",
        description="Write the address of a repository on GitHub, and of the site that it publishes, into _config.yml, "
        "and renew the notebooks, which contain it. Without OWNER/REPO, show what is set.",
    )
    where.add_argument("place", nargs="?", metavar="OWNER/REPO")
    where.add_argument("--title", default="", help="what the course is called (default: as before)")
    where.add_argument("--branch", default="", help="that Colab opens notebooks from (default: as before)")
    sites = where.add_mutually_exclusive_group()
    sites.add_argument("--site", metavar="URL", help="where the site is published (default: that of GitHub Pages)")
    sites.add_argument("--no-site", dest="site", action="store_const", const="", help="no site is published")
    where.add_argument("--must-be", metavar="OWNER/REPO", help="write nothing: fail unless this is what is set")
    where.add_argument("--show", choices=("title", "repository", "branch", "site"), help="print this alone")
    where.set_defaults(run=_address)


def _add_bench(commands: Any) -> None:
    bench = commands.add_parser("bench", help="measure on this machine what the course's sources report of speed")
    bench.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="these alone: ewma, quadratic, training, ..."
    )
    bench.add_argument(
        "--quick", action="store_true", help="leave out the largest sizes, and measure for a shorter time"
    )
    bench.add_argument("--json", type=Path, metavar="FILE", help="write what was found into a file")
    bench.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw it into a file")
    bench.set_defaults(run=_bench)


def _add_record(commands: Any) -> None:
    taken = commands.add_parser(
        "record",
        help="record what pages measure on this machine's device, for a switch on the site",
        description="Run what pages measure on JAX's default device, and keep it in a file of book/recorded/, from "
        "which the site shows it beside what its own build measured. It may be cut off at any time: the same command "
        "goes on with what is missing. It ends with status 1 as long as something is.",
    )
    taken.add_argument("--into", type=Path, metavar="FILE.json", help="(default: in book/recorded/, by the device)")
    taken.add_argument("--seconds", type=float, default=600, help="after these it ends (default: 600)")
    taken.add_argument("--only", nargs="+", default=[], metavar="PIECE", help="lessons, `kernels` or `headlines` alone")
    taken.set_defaults(run=_record)


def _record(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import recorded

    course = Course(root_of(options))

    def say(line: str) -> None:
        print(line, flush=True)

    path, left = recorded.record(course, options.into, seconds=options.seconds, only=options.only, say=say)
    print(f"{path}: {f'{left} missing. The same command goes on with them.' if left else 'complete.'}")
    return 1 if left else 0


def _add_release(commands: Any) -> None:
    named = commands.add_parser(
        "release",
        help="name, commit and tag what has changed",
        description="Give what CHANGELOG.md lists as not released yet the name of a month, such as 2026.12.1, in the "
        "changelog and in the package; commit this, and tag it.",
    )
    named.set_defaults(run=_release)


def _release(options: argparse.Namespace) -> int:
    from jaxcourse_author import release

    name = release.release(root_of(options), datetime.date.today())
    print(f"Released {name}. Publish it with: git push --follow-tags")
    return 0


def _move_lesson(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import moving

    change = moving.plan_move if options.dry_run else moving.lesson
    for line in moving.report(change(Course(root_of(options)), options.old, options.new)):
        print(line)
    return 0


def _move_section(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import moving

    course = Course(root_of(options))
    for line in moving.section(course, options.label, options.to, options.after, options.dry_run).report():
        print(line)
    return 0


def _rename_exercise(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import moving

    course = Course(root_of(options))
    for line in moving.exercise(course, options.old, options.new, options.dry_run).report():
        print(line)
    return 0


def _address(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import address

    course = Course(root_of(options))
    if options.show:
        print(getattr(course, options.show))
        return 0
    if options.must_be:
        if problem := address.foreign(course, options.must_be):
            raise ValueError(problem)
    elif options.place:
        more = {"title": options.title, "branch": options.branch, "site": options.site}
        written = address.move(course, options.place, **more)
        print(f"{len(written)} generated files renewed. Commit them with _config.yml.")
    elif options.title or options.branch or options.site is not None:
        raise ValueError("say where it lives as well: jaxcourse address OWNER/REPO ...")
    print(address.description(course))
    return 0


def _judge(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import answers

    return answers.run(Course(root_of(options)), options.files, as_json=options.json, seconds=options.seconds)


def _notebooks(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import rules
    from jaxcourse_author.lesson import notebooks

    course = Course(root_of(options))
    if options.check:
        return max(_name_stale(course.root, list(notebooks.stale(course))), _name_kept_back(course))
    changed = notebooks.write(course)
    for path in changed:
        print(f"wrote {path.relative_to(course.root)}")
    if changed:  # as after every change of the syllabus
        for advice in rules.lessons_come_after_what_they_need(rules.Contract(course.root)):
            print(advice)
    _name_kept_back(course)
    due = len(notebooks.generated_files(course))
    print(f"{len(changed)} written, {due - len(changed)} were as they should be.")
    return 0


def _name_stale(root: Path, paths: list[Path]) -> int:
    from jaxcourse_author.lesson import notebooks

    for path in paths:
        place = path.relative_to(root)
        print(f"{place} is not what {notebooks.sources_of(path)}. Mend it with: jaxcourse notebooks")
    if not paths:
        print("Every generated notebook is what its source gives.")
    return 1 if paths else 0


def _name_kept_back(course: Course) -> int:
    from jaxcourse_author.lesson import notebooks

    found = notebooks.kept_back(course)
    for one in found:
        print(f"{one.place}: {one.next}. Until then no reader gets {one.exercise or 'this lesson'}.")
    return 1 if found else 0


def _check(options: argparse.Namespace) -> int:
    # A wrong answer that XLA refuses is a verdict, and no line of XLA's own among ours.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from jaxcourse import devices
    from jaxcourse.insides import compile_quickly, programs_kept

    compile_quickly()
    devices.simulate()  # the set-up of some lessons asks for several, and one of another lesson may come first
    if options.inputs:
        return _inputs(root_of(options), options.inputs)
    if options.since is not None and not _narrow_to_changed(options):
        return 0
    if options.mutants:
        return _mutants(options)
    with TemporaryDirectory() as folder, programs_kept(Path(folder)):  # most rules judge what another one has judged
        return _watch(options) if options.watch else _prove(options)


def _concepts(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import concepts
    from jaxcourse_author.chosen import choose

    course = Course(root_of(options))
    only = choose(course, options.only)
    if options.path:
        return _path(course, options.path)
    road = concepts.road_of(course)
    if wrong := [f"{problem}. {repair}" for problem, repair in concepts.problems(course, road)]:
        raise ValueError(f"{concepts.CONCEPTS}: " + "\n".join(wrong))
    if options.road or options.way:
        print(*(concepts.way_table(road, options.way) if options.way else concepts.table(road)), sep="\n")
        return 0
    rows = [row for row in road.rows(course) if not only or row.stop.stem in only]
    print(*rows, f"{len(rows)} uses before an explanation.", sep="\n")
    return 0


def _path(course: Course, name: str) -> int:
    from jaxcourse_author import paths
    from jaxcourse_author.concepts import road_of

    road = road_of(course)
    print(*paths.table(paths.walks(course, road), name), sep="\n")
    for problem, repair in paths.problems(course, road):
        if f"{name!r}" in problem:
            print(f"{problem}. {repair}")
    return 0


def _preset(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import paths
    from jaxcourse_author.concepts import road_of

    course = Course(root_of(options))
    walks = paths.walks(course, road_of(course))
    if not options.name:
        print(*paths.table(walks), sep="\n")
        return 0
    left = paths.preset(course, paths.walk_named(walks, options.name))
    print(f"_toc.yml names {len(course.lesson_paths)} lessons; taken out: {', '.join(left) or 'none'}.")
    print("Then: jaxcourse notebooks && jaxcourse check --quick")
    return 0


def _prove(options: argparse.Namespace) -> int:
    from jaxcourse_author.proof import Progress, prove, verdicts_due
    from jaxcourse_author.rules import SEEDS, Contract

    progress = Progress(0, "verdicts")
    seeds = SEEDS if options.seeds is None else options.seeds
    contract = Contract(root_of(options), tuple(options.only), seeds, progress)
    progress.due = verdicts_due(contract)
    # A lesson's notebooks show nothing of one of its exercises that its own rules do not.
    return prove(contract, quick=options.quick or any(contract.only.values()), verbose=options.verbose)


def _narrow_to_changed(options: argparse.Namespace) -> bool:
    """Put the exercises that have changed in the place of what was named; whether there are any."""
    from jaxcourse.course import Course
    from jaxcourse_author import changed

    course = Course(root_of(options))
    if options.only:
        raise ValueError("--since says which exercises: name none beside it.")
    commit = changed.base(course.root, options.since)
    if not commit:
        print("There is no earlier commit here, so nothing is known to have changed.")
        return False
    options.only = changed.exercises(course, commit, changed.files(course.root, commit))
    print(f"Changed since {commit[:10]}: {', '.join(options.only) or 'no exercise'}.", flush=True)
    return bool(options.only)


def _mutants(options: argparse.Namespace) -> int:
    from jaxcourse_author import mutants
    from jaxcourse_author.rules import Contract

    return mutants.run(Contract(root_of(options), tuple(options.only)), most=options.most)


def _inputs(root: Path, name: str) -> int:
    from jaxcourse_author.listing import listing
    from jaxcourse_author.rules import Contract

    (pair,) = Contract(root, (name,)).pairs
    if name not in pair.checks.exercises:
        raise ValueError("\n".join(map(str, pair.unfinished)))
    with pair.source.beside():
        print(*listing(pair.checks.exercises[name], pair.solutions[name]), sep="\n")
    return 0


def _watch(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author.chosen import choose
    from jaxcourse_author.watch import changes

    course = Course(root_of(options))
    only = choose(course, options.only)
    print("Save a lesson or its checks: it is written and proved. Ctrl-C ends it.", flush=True)
    try:
        for stem in changes(course, tuple(only)):
            began = time.monotonic()
            print(
                f"{stem}: {_once(course, stem, only.get(stem, frozenset()))}{time.monotonic() - began:.1f} s",
                flush=True,
            )
    except KeyboardInterrupt:
        return 0
    return 0


def _once(course: Course, stem: str, names: frozenset[str]) -> str:
    """Prove a lesson that has been saved, or some exercises of it, until it is saved again; what to say of that."""
    from jaxcourse_author.lesson import notebooks
    from jaxcourse_author.proof import prove
    from jaxcourse_author.rules import Contract
    from jaxcourse_author.watch import Newer, Superseded

    newer = Newer(course, stem)
    try:
        notebooks.write(course)
        only = tuple(f"{stem}/{name}" for name in sorted(names)) or (stem,)
        prove(Contract(course.root, only, heard=newer), quick=True, stop=True)
    except (ValueError, OSError) as error:
        print(f"jaxcourse: {error}")
    except Superseded:
        return "saved again meanwhile, after "
    return ""


def _new_exercise(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import scaffold
    from jaxcourse_author.lesson import notebooks

    root = root_of(options)
    paths = scaffold.exercise(root, options.lesson, options.name, options.kind)
    notebooks.write(Course(root))
    for path in paths:
        print(f"edit {path}")
    print(f"Then: jaxcourse check --watch {options.lesson}/{options.name}, which says what to write next at each save.")
    return 0


def _new_lesson(options: argparse.Namespace) -> int:
    from jaxcourse.course import Course
    from jaxcourse_author import scaffold
    from jaxcourse_author.lesson import notebooks

    root = root_of(options)
    paths = scaffold.lesson(root, options.lesson, options.title)
    notebooks.write(Course(root))
    for path in paths:
        print(f"edit {path}")
    print(f"Add an exercise with: jaxcourse new exercise {options.lesson} NAME")
    return 0


def _bench(options: argparse.Namespace) -> int:
    from jaxcourse_author import headlines

    if unknown := sorted(set(options.only) - set(headlines.HEADLINES)):
        raise ValueError(f"there is no {', '.join(unknown)}; there are {', '.join(headlines.HEADLINES)}.")
    names = options.only or headlines.HEADLINES
    results = headlines.run([headlines.HEADLINES[name] for name in names], quick=options.quick, say=_progress)
    if options.json:
        options.json.write_text(results.to_json(), encoding="utf-8")
    if options.picture:
        options.picture.write_text(results.picture().svg, encoding="utf-8")
    print(results)
    return 1 if results.failed else 0


def _progress(done: int, of: int, name: str) -> None:
    """A bar that grows in one line of a terminal."""
    bar = "#" * (30 * done // of)
    print(f"\r[{bar:30}] {name:32}", end="" if name else "\n", file=sys.stderr, flush=True)
