"""Concepts: where a course uses which, whether that is explained by then, and the shortest way to it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from toy import MD, edit, toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author.concepts import (
    CONCEPTS,
    Concept,
    Concepts,
    Road,
    Stop,
    Use,
    problems,
    read_concepts,
    road_of,
    table,
    way_before,
    way_table,
    way_to,
)
from jaxcourse_author.lesson import Minutes, Section

__all__ = ["toy"]

DECLARED = """\
awaited: [tour]
concepts:
- concept: jit
  code: [jax.jit]
  text: [jit]
  explained by: [tour, jit]
- concept: meshes
  code: [jax.make_mesh]
  words: [mesh, meshes]
  terms: [mesh]
  explained by: [meshes]
- concept: donation
  code: ['*(donate_arg*=)']
  explained by: [jit]
"""
GLOSSARY = "# Glossary\n\n:::{glossary}\nmesh\n  Devices in rows.\n:::\n"
JIT = "(jit)=\n## Compiled\n\nWith `jit`, and `donate_argnums=0`.\n"
MESHES = "(meshes)=\n## Devices\n\nA mesh is `jax.make_mesh((8,))`.\n"

Make = Callable[..., Course]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a course of some lessons, each of which is what stands below its title, in this order."""

    def write(*lessons: str, declared: str = DECLARED, **files: str) -> Course:
        stems = [
            f"{len(lessons) - i:02}_lesson" for i in range(len(lessons))
        ]  # the files' order is not that of reading
        named = {f"notebooks/{stem}.md": f"# Lesson\n\n{text}" for stem, text in zip(stems, lessons, strict=True)}
        chapters = "".join(f"  - file: notebooks/{stem}\n" for stem in stems)
        files = {"_toc.yml": f"format: jb-book\nroot: book/index\nchapters:\n{chapters}", CONCEPTS: declared, **files}
        for name, text in {"book/index.md": "# Toy\n", "book/glossary.md": GLOSSARY, **named, **files}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return Course(tmp_path)

    return write


def code(source: str, tags: str = "") -> str:
    """A code cell."""
    return f"```{{code-cell}} ipython3\n{f':tags: [{tags}]' if tags else ''}\n\n{source}\n```\n"


def exercise(task: str, stub: str = "x = ...", solution: str = "x = 1", path: str = "") -> str:
    """An exercise."""
    return (
        f"```{{exercise-start}} Do it\n:label: do-it\n{path}```\n{task}\n\n{code(stub, 'exercise')}\n"
        f"{code('check(`do-it`)'.replace('`', chr(34)), 'check')}\n```{{exercise-end}}\n```\n\n"
        f"```{{solution-start}} do-it\n```\nBecause.\n\n{code(solution, 'solution')}\n```{{solution-end}}\n```\n"
    )


def rows(course: Course) -> list[tuple[str, str, str]]:
    """Each row in short: section, concept, place."""
    return [(row.stop.name, row.use.concept.name, row.use.place) for row in road_of(course).rows(course)]


@pytest.mark.parametrize(
    ("imports", "said"),
    [
        ("import jax", "jax.jit(f)"),
        ("import jax as j", "j.jit(f)"),
        ("from jax import jit as compiled", "compiled(f)"),
        ("try:\n    from jax import jit\nexcept ImportError:\n    pass", "jit(f)"),
        ("import jax\nfast = jax.jit", "fast(f)"),
        ("import jax", "@jax.jit\ndef f(x): return x"),
        ("import jax", "def f(x):\n    return [jax.jit(one) for one in x]"),
        ("import jax", 'asked = {"jax.jit(f)(x)": ...}'),
        ("import numpy", 'program = """\nimport jax as j\nj.jit(f)\n"""'),
        ("import numpy", "def f():\n    import jax as j\n    return j.jit"),
    ],
)
def test_code_is_recognised_however_it_was_imported(make: Make, imports: str, said: str) -> None:
    course = make(f"{code(imports, 'setup')}\n## Early\n\n{code(said)}\n{JIT}{MESHES}")
    assert rows(course) == [("Early", "jit", "code")]


@pytest.mark.parametrize(
    "said",
    [
        "import numba as jax\njax.jit(f)",
        "def f(jax): return jax.jit",
        "def f(x):\n    jax = x\n    return jax.jit",
        "from tools import jit\njit(f)",
        "jit(f)",
        'print("see jax.jit, or not")',
        "f = lambda jax: jax.jit",
        "jax = 3\njax.jit",
        "%timeit jax.jit(f)",
    ],
)
def test_another_thing_of_the_same_name_is_not_the_concept(make: Make, said: str) -> None:
    assert rows(make(f"{code('import jax', 'setup')}\n## Early\n\n{code(said)}\n{JIT}{MESHES}")) == []


def test_the_names_of_an_answer_and_of_a_proof_are_not_the_lessons(make: Make) -> None:
    asked = exercise("Do.", solution="from jax import jit as f")
    course = make(f"## Early\n\n{asked}\n{code('from jax import jit as f', 'proof')}\n{code('f(3)')}\n{JIT}{MESHES}")
    assert rows(course) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`jax.jit(f)` is fast.", ["jit"]),
        ("`jit` is fast.", ["jit"]),
        ("`@jax.jit` above it.", ["jit"]),
        ("`with jax.jit(f):`", ["jit"]),
        ("`np.jit`, `jitter` and jit", []),
        ("`donate_argnums=0` saves.", ["donation"]),
        ("`f(donate_argnums=0)` saves.", ["donation"]),
        ("`donate` it", []),
        ("Meshes are rows.", ["meshes"]),
        ("| a | b |\n|---|---|\n| one | a mesh |", ["meshes"]),
        ("- one\n- a mesh", ["meshes"]),
        (":::{note}\nA mesh.\n:::", ["meshes"]),
        ("```python\njax.jit(f)\n```", ["jit"]),
        ("```{predict}\nHow large is the mesh?\n```", ["meshes"]),
        ("It is enmeshed.", []),
        ("**Read on** about [a mesh](https://a.org).", []),
    ],
)
def test_prose_is_recognised_by_its_words_and_by_what_stands_between_backticks(
    make: Make, text: str, found: list[str]
) -> None:
    assert [concept for _, concept, _ in rows(make(f"## Early\n\n{text}\n\n{JIT}{MESHES}"))] == found


def test_what_readers_need_not_read_may_use_anything(make: Make) -> None:
    use = "import jax\njax.jit(f)"
    hidden = "".join(code(use, tags) for tags in ("setup", "proof", "hide-input", "remove-cell"))
    course = make(f"With `jit`.\n\n## Early\n\n{hidden}\n{exercise('Do.', solution=use)}\n{JIT}{MESHES}")
    assert rows(course) == [], "an opening announces, and a solution is folded"


def test_a_row_names_the_section_the_concept_the_place_and_who_would_explain_it(make: Make) -> None:
    asked = exercise("Take a mesh.", stub="import jax\nx = jax.make_mesh(...)")
    course = make(
        f"{code('import jax; jax.jit(f)')}\n(early)=\n## Early\n\nA mesh.\n\nOf meshes.\n\n{asked}", JIT + MESHES
    )
    found = [*road_of(course).rows(course)]
    assert rows(course) == [("Lesson", "jit", "code"), ("early", "meshes", "prose"), ("early", "meshes", "exercise")]
    lines = (course.root / "notebooks/02_lesson.md").read_text(encoding="utf-8").split("\n")
    assert [lines[int(row.place.rpartition(":")[2]) - 1] for row in found] == [
        "import jax; jax.jit(f)",
        "A mesh.",
        "Take a mesh.",
    ]
    assert str(found[2]) == (
        f"{found[2].place}: `early` uses meshes (mesh) in its exercise `do-it`. "
        "{ref}`meshes` in 01_lesson explains it: link to it right there, or come after it."
    )


def test_what_comes_first_is_said_by_the_contents_and_not_by_names_of_files(make: Make) -> None:
    use = "## Use\n\nWith `jit`.\n"
    assert rows(make(JIT, use + MESHES)) == []
    assert rows(make(use + MESHES, JIT)) == [("Use", "jit", "prose")]
    assert rows(make(f"{JIT}\nWith `jit`.\n\n### Inner\n\nWith `jit`.\n\n{MESHES}")) == [], "a section explains itself"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A mesh, see {ref}`below <meshes>`.", []),
        ("A mesh, see [below](#meshes).", []),
        ("A mesh, see {ref}`that <jit>`.", ["prose"]),
        ("See {ref}`below <meshes>`.\n\nA mesh.", []),
        ("A mesh.\n\nSee {ref}`below <meshes>`.", ["prose"]),
        ("See {ref}`below <meshes>`.\n\n## Next\n\nA mesh.", ["prose"]),
        ("| a mesh | {ref}`below <meshes>` |\n|---|---|\n| a | b |", []),
        ("| a mesh | b |\n|---|---|\n| a | {ref}`below <meshes>` |", ["prose"]),
        ("A {term}`mesh`.", []),
        ("A {term}`rows <mesh>` of a mesh.", []),
        (f"A {{term}}`mesh`.\n\n{code('jax.make_mesh(8)')}", ["code"]),
        (f"See {{ref}}`below <meshes>`.\n\n{code('jax.make_mesh(8)')}", []),
        (f"{code('jax.make_mesh(8)')}\nThat is {{ref}}`below <meshes>`.", []),
        (f"{code('jax.make_mesh(8)')}\nWell.\n\nThat is {{ref}}`below <meshes>`.", ["code"]),
        (exercise("Take a mesh.\n\nIt is {ref}`below <meshes>`.", "x = jax.make_mesh(...)"), []),
        (exercise("Take a {term}`mesh`."), ["exercise"]),
    ],
)
def test_a_link_right_there_is_an_answer(make: Make, text: str, found: list[str]) -> None:
    course = make(f"{code('import jax', 'setup')}\n## Early\n\n{text}\n\n{JIT}{MESHES}")
    assert [place for _, concept, place in rows(course) if concept == "meshes"] == found


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "explained by: [meshes]",
            "explained by: [meshs]",
            "'meshs', which labels no section of a lesson Write 'meshes'",
        ),
        ("explained by: [meshes]", "explained by: [nowhere]", "among those that are awaited"),
        ("awaited: [tour]", "awaited: []", "'jit' is explained by 'tour', which labels no section"),
        ("awaited: [tour]", "awaited: [tour, tower]", "'tower' is awaited, and explains no concept"),
        ("text: [jit]", "text: [jit, pjit]", "'jit' is recognised by 'pjit' under `text`, which no lesson says"),
        ("code: [jax.make_mesh]", "code: [jax.Mesh]", "recognised by 'jax.Mesh' under `code`"),
        ("words: [mesh, meshes]", "words: [mesh, grid]", "recognised by 'grid' under `words`"),
        ("code: ['*(donate_arg*=)']", "code: [jax.export]", "no section uses 'donation'"),
        ("terms: [mesh]", "terms: [mesch]", "'meshes' has the term 'mesch', which the glossary has not Write 'mesh'"),
    ],
)
def test_what_is_declared_and_not_so_is_said(make: Make, old: str, new: str, words: str) -> None:
    lesson = f"{JIT}\nMeshes.\n\n{code('import jax; jax.jit(f, donate_argnums=0)')}\n{MESHES}"
    course = make(lesson)
    assert [*problems(course, road_of(course))] == []
    edit(course.root / CONCEPTS, old, new)
    assert words in "\n".join(map(" ".join, problems(course, road_of(course))))


def test_a_section_that_is_awaited_explains_as_soon_as_it_is_there(make: Make) -> None:
    use = "## Use\n\nWith `jit`.\n\n"
    tour = "(tour)=\n## A tour\n\nWith `jit`.\n\n"
    before, after = road_of(make(use + JIT)), road_of(make(tour + use + JIT))
    (jit, *_) = before.concepts
    assert [stop.name for road in (before, after) if (stop := road.first(jit))] == ["jit", "tour"]
    assert (before.awaited_here, after.awaited_here) == (frozenset(), {"tour"})


def test_what_nothing_explains_yet_is_a_row_as_well(make: Make) -> None:
    declared = "awaited: [tour]\nconcepts:\n- {concept: jit, text: [jit], explained by: [tour]}\n"
    course = make("## Use\n\nWith `jit`.\n", declared=declared)
    (row,) = road_of(course).rows(course)
    assert "No section explains it yet; awaited: tour." in str(row)
    assert "nothing yet: tour" in "\n".join(table(road_of(course)))


def test_a_part_of_a_course_is_asked_for_what_it_explains_alone(make: Make) -> None:
    course = make("## Use\n\nWith `jit`, of a mesh.\n\n" + JIT, MESHES)
    edit(course.root / "_toc.yml", "  - file: notebooks/01_lesson\n", "")
    assert [*problems(course, road_of(course))] == []
    assert rows(course) == [("Use", "jit", "prose")], "what a mesh is, the full course says"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("concepts: [", "is not valid YAML"),
        ("- concept: jit", "has no list of concepts"),
        ("concepts: 3", "has no list of concepts"),
        ("concepts: []\nwaiting: []", "has the key 'waiting': it takes `awaited` and `concepts`"),
        ("concepts: []\nawaited: tour", "`awaited` is 'tour': write a list of texts"),
        ("concepts: [jit]", "'jit' is no concept"),
        ("concepts: [{concept: jit, code: [jit]}]", "'jit' is explained nowhere"),
        ("concepts: [{concept: jit, explained by: [jit]}]", "nobody can recognise 'jit'"),
        ("concepts: [{concept: jit, code: jit, explained by: [jit]}]", "`code` of 'jit' is 'jit': write a list"),
        ("concepts: [{concept: jit, code: [3], explained by: [jit]}]", "`code` of 'jit' is [3]: write a list"),
        (
            "concepts: [{concept: jit, spans: [jit], explained by: [jit]}]",
            "'jit' has the key 'spans': it takes code, te",
        ),
        ("concepts: [{concept: jit, code: [a, a], explained by: [jit]}]", "`code` of 'jit' has 'a' twice"),
        ("concepts: [&a {concept: jit, code: [a], explained by: [jit]}, *a]", "`concepts` has 'jit' twice"),
    ],
)
def test_a_file_that_is_not_as_it_must_be_is_refused_with_what_to_write(make: Make, text: str, words: str) -> None:
    course = make(JIT, declared=text)
    with pytest.raises(ValueError, match=rf"^{CONCEPTS}") as refused:
        read_concepts(course)
    assert words in str(refused.value)


def test_a_course_without_the_file_has_no_concepts(make: Make) -> None:
    course = make(JIT)
    (course.root / CONCEPTS).unlink()
    assert (read_concepts(course), rows(course)) == (Concepts(), [])


# -- the shortest way -------------------------------------------------------------------------------------------


def road(minutes: list[float], explains: Mapping[str, list[int]], needs: Mapping[int, list[str]]) -> Road:
    """A road by hand: how long each section takes, which explain each concept, and what the code of each uses."""
    concepts = {name: Concept(name, tuple(f"s{i}" for i in at), ("a",)) for name, at in explains.items()}
    stops = []
    for i, long in enumerate(minutes):
        section = Section(f"s{i}", "", 2, range(0), Minutes(long, 0), ())
        uses = tuple(Use(concepts[name], "code", 1, (("code", "a"),)) for name in needs.get(i, ()))
        explained = frozenset(concepts[name] for name, at in explains.items() if i in at)
        stops.append(Stop(i, f"{i // 3:02}_lesson", section, sum(minutes[:i]), uses, explained))
    return Road(Concepts(tuple(concepts.values())), tuple(stops))


def names(way: tuple[Stop, ...]) -> str:
    return " ".join(stop.name for stop in way)


def test_the_way_goes_through_what_is_used_and_through_nothing_else() -> None:
    known = road([9, 5, 7, 3, 4], {"a": [0], "b": [1], "c": [3]}, {1: ["a"], 3: ["b"], 4: ["c"]})
    assert names(way_to(known, [known.stops[4]])) == "s0 s1 s3 s4"
    assert names(way_to(known, [known.stops[2]])) == "s2"
    assert names(way_to(known, [known.stops[2], known.stops[1]])) == "s0 s1 s2"
    assert names(way_before(known, "01_lesson")) == "s0 s1"
    assert [line.split()[-3:] for line in way_table(known, "b")][:2] == [["(s0)", "in", "00_lesson"]] + [
        ["(s1)", "in", "00_lesson"]
    ]
    with pytest.raises(ValueError, match="no section and no concept is 's9'"):
        [*way_table(known, "s9")]


def test_of_two_that_explain_the_same_the_way_takes_the_one_that_costs_less_in_all() -> None:
    known = road([9, 1, 2, 4], {"deep": [0], "a": [1, 2]}, {1: ["deep"], 3: ["a"]})
    assert names(way_to(known, [known.stops[3]])) == "s2 s3", "the cheaper one needs what is dear"


def test_what_only_a_later_section_explains_asks_for_nothing() -> None:
    known = road([1, 1], {"a": [1]}, {0: ["a"]})
    assert names(way_to(known, [known.stops[0]])) == "s0"


def test_no_way_is_shorter() -> None:
    rng = random.Random(0)
    for _ in range(30):
        minutes = [float(rng.randint(1, 9)) for _ in range(8)]
        explains = {name: rng.sample(range(7), 2) for name in "abcde"}
        known = road(minutes, explains, {i: rng.sample("abcde", 2) for i in range(1, 8)})
        way = way_to(known, [known.stops[7]])
        closed = [some for some in _subsets(known.stops[:7]) if is_closed(known, {*some, known.stops[7]})]
        assert is_closed(known, {*way})
        assert _long(way) == min(_long((*some, known.stops[7])) for some in closed)


def _subsets(stops: tuple[Stop, ...]) -> list[tuple[Stop, ...]]:
    return [some for count in range(len(stops) + 1) for some in itertools.combinations(stops, count)]


def _long(stops: tuple[Stop, ...]) -> float:
    return sum(stop.minutes for stop in stops)


def is_closed(known: Road, taken: set[Stop]) -> bool:
    """Whether each section of some knows what it uses from one before it, as far as there is one in the course."""
    for stop in taken:
        for need in stop.needs:
            options = {one for one in known.explainers[need] if one.place < stop.place}
            if options and not options & taken:
                return False
    return True


def test_practice_and_prose_ask_for_no_way(make: Make) -> None:
    use = "import jax\nx = jax.make_mesh(...)"
    lessons = {
        "core": exercise("Do.", solution=use),
        "practice": exercise("Do.", use, use, ":class: practice\n"),
        "prose": "A mesh.\n",
        "code": code(use),
    }
    asked = {}
    for what, text in lessons.items():
        known = road_of(make(JIT + MESHES, f"## Late\n\n{text}"))
        asked[what] = names(way_before(known, "01_lesson"))
    assert asked == {"core": "meshes", "practice": "", "prose": "", "code": "meshes"}


# -- the command and the rule -----------------------------------------------------------------------------------


def test_the_command_says_what_is_used_too_early_and_when_each_concept_is_explained(
    make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    early = f"(early)=\n## Early\n\nWith `jit`, of meshes.\n\n{code('import jax; jax.jit(f, donate_argnums=0)')}\n"
    course = make(early, JIT + MESHES)
    main = ["--course", str(course.root), "concepts"]
    assert cli.main(main) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 5 and said[-1] == "4 uses before an explanation." and "`early` uses meshes (meshes)" in said[0]
    assert cli.main([*main, "01_lesson"]) == 0
    assert capsys.readouterr().out == "0 uses before an explanation.\n"
    assert cli.main([*main, "--road"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["hour", "minute", "way", "concept"]
    assert [line.split()[3] for line in lines] == ["donation", "jit", "meshes"]
    assert cli.main([*main, "--way", "meshes"]) == 0
    assert "(meshes) in 01_lesson" in capsys.readouterr().out
    edit(course.root / CONCEPTS, "explained by: [meshes]", "explained by: [meshs]")
    assert cli.main(main) == 2
    assert f"jaxcourse: {CONCEPTS}: 'meshes' is explained by 'meshs'" in capsys.readouterr().err


def test_many_uses_are_refused_and_shortened(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(toy / MD, "(doubling)=", "\n\n".join(f"## Before {i}\n\nTwice." for i in range(13)) + "\n\n(doubling)=")
    assert cli.main(["--course", str(toy), "notebooks"]) == 0
    assert cli.main(["--course", str(toy), "check", "--quick", "01_toy"]) == 1
    said = capsys.readouterr().out
    assert "`Before 9` uses twice (twice) in its prose" in said and "`Before 10`" not in said
    assert "... and 3 more\n" in said
