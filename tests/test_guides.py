"""CONTRIBUTING, the guides and their like: what they link to is there, and their commands and checks are real."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from jaxcourse import cli, inputs, probe
from jaxcourse.exercise import judge
from jaxcourse.probe import local_channel

ROOT = Path(__file__).parents[1]
FIRST = ROOT / "CONTRIBUTING.md"
GUIDES = sorted((ROOT / "book" / "contributing").glob("*.md"))
CHECKS = ROOT / "book" / "contributing" / "check.md"
READ_IN_SIX_MINUTES = 1200
CODE = re.compile(r"^( *)(`{3,})(\w*).*?\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
MAPS = [ROOT / "README.md", ROOT / "ARCHITECTURE.md"]
every_guide = pytest.mark.parametrize("guide", [FIRST, *GUIDES, *MAPS], ids=lambda path: path.stem)


def text(path):
    return path.read_text(encoding="utf-8")


def blocks(path, language):
    return [found[4] for found in CODE.finditer(text(path)) if found[3] == language]


def anchors(path):
    """What a host of repositories calls the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", CODE.sub("", text(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_way_of_an_exercise_is_read_in_six_minutes():
    assert len(text(FIRST).split()) <= READ_IN_SIX_MINUTES


def test_every_guide_is_named_where_people_begin():
    assert set(re.findall(r"\(book/contributing/([\w.]+)\)", text(FIRST))) == {path.name for path in GUIDES}


@every_guide
def test_links_lead_to_files_and_headings_that_are_there(guide):
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", CODE.sub("", text(guide))):
        target = (guide.parent / path).resolve() if path else guide
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}: {sorted(anchors(target))}"


@every_guide
def test_paths_are_there(guide):
    for path in re.findall(r"`((?:src|book|tests|benchmarks)/[\w./]+)`", text(guide)):
        assert (ROOT / path).exists() or re.search("row_spans|NN_|NAME", path), path


def commands(guide):
    for block in blocks(guide, "console"):
        for line in re.findall(r"^\$ (.+)$", block, re.MULTILINE):
            words = shlex.split(line, comments=True)
            yield [word for word in words if "=" not in word or word.startswith("-")]


@every_guide
def test_commands_have_the_names_and_options_that_are_written(guide):
    targets = set(re.findall(r"^([\w-]+):", text(ROOT / "Makefile"), re.MULTILINE))
    for words in commands(guide):
        if words[0] == "make":
            assert words[1] in targets, words
        elif Path(words[0]).name == "jaxcourse":
            assert cli._parser().parse_args(words[1:])
        for path in words[1:]:
            if path.startswith(("tests/", "benchmarks/")):
                assert (ROOT / path.partition("::")[0]).exists(), words


def the_check():
    """The names that the first guide's check has, with those that the guide on checks goes on with."""
    names = {"inputs": inputs, "probe": probe}
    exec("".join(blocks(FIRST, "python")), names)
    return names


def verdict(exercise, answer):
    return judge(exercise, local_channel(answer))


def listed():
    """The answers of the guide on checks, each with the label that it should get."""
    names = {}
    (code,) = (block for block in blocks(CHECKS, "python") if "@right" in block)
    bare = re.sub(r"^(@|from jaxcourse).*\n", "", code, flags=re.MULTILINE)
    exec(bare, names)
    return [(names["by_one_call"], ""), (names["without_a_sign"], "wrong-value")]


def test_the_check_of_the_guide_says_which_mistake_was_made():
    names = the_check()
    for label, mistake in names["MISTAKES"].items():
        assert verdict(names["row_spans"], mistake).label == label
    for answer, label in listed():
        assert verdict(names["row_spans"], answer).label == label


def test_the_guides_wider_check_takes_what_is_right_and_refuses_what_is_not():
    names = the_check()
    (code,) = (block for block in blocks(CHECKS, "python") if "def table" in block)
    exec(code, names)
    wider = names["declare"]("row-spans", see="strides", steps=names["steps"], words=names["WORDS"])
    for answer, label in listed():
        assert verdict(wider, answer).label == label
    assert verdict(wider, lambda x: x.max(1) - x.min(1)).label == ""
    assert verdict(wider, names["MISTAKES"]["columns"]).label == "columns"


def test_guides_are_no_pages_of_the_site():
    config = yaml.safe_load(text(ROOT / "_config.yml"))
    assert config["only_build_toc_files"] and "book/contributing" not in text(ROOT / "_toc.yml")
