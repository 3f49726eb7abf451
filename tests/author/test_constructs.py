"""What becomes of each construct of CommonMark and MyST: a notebook has it faithfully, or it is refused by name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from toy import MD, edit, toy

from jaxcourse.course import Course
from jaxcourse_author.lesson import LessonError, notebooks, page_of, read_lesson

__all__ = ["toy"]

SITE = "https://someone.github.io/toy"
HOME = f"{SITE}/notebooks/01_toy.html"


def in_notebook(root: Path, myst: str) -> str:
    """What a piece of MyST becomes in the blank notebook."""
    edit(root / MD, "That was all.", myst)
    book = json.loads(notebooks.blank(read_lesson(root / MD, Course(root)), Course(root)))
    return "\n---\n".join("".join(cell["source"]) for cell in book["cells"])


CARRIED = {
    "first words of a box": ("```{note} The first axis\nis folded.\n```", "> **Note.** The first axis\n> is folded."),
    "first words alone": (":::{tip} Mind this.\n:::", "> **Tip.** Mind this."),
    "a link in the first words": (
        "```{note} See [the book](../book/index.md)\nand more.\n```",
        f"> **Note.** See [the book]({SITE}/book/index.html)\n> and more.",
    ),
    "a box in a box": (
        "````{note}\nOne.\n\n```{tip} Two.\n```\n````",
        "> **Note.** One.\n>\n> > **Tip.** Two.",
    ),
    "a box of colons": (":::{warning}\nMind.\n:::", "> **Warning.** Mind."),
    "a box of tildes": ("~~~{note}\nMind.\n~~~", "> **Note.** Mind."),
    "a box that text follows at once": ("```{note}\nMind.\n```\nafter", "> **Note.** Mind.\n\nafter"),
    "a box after a line of text": ("before\n```{note}\nMind.\n```", "before\n\n> **Note.** Mind."),
    "a colour": ("```{admonition} Why\n:class: note\nSo.\n```", "> **Why.** So."),
    "a fold with a colour": ("```{note}\n:class: dropdown tip\nSo.\n```", "<details><summary>Note</summary>\n\nSo."),
    "a title with code": (":::{admonition} Why `x`\nSo.\n:::", "> **Why `x`.** So."),
    "a list first in a box": ("```{note}\n- one\n- two\n```", "> **Note.**\n>\n> - one\n> - two"),
    "a fence of tildes": (
        "~~~python\n(label)=\nx = '[y](gone.md) {ref}`z`'\n~~~",
        "~~~python\n(label)=\nx = '[y](gone.md) {ref}`z`'\n~~~",
    ),
    "a fence in a list": ("- one\n\n  ```python\n  (x)=\n  ```", "- one\n\n  ```python\n  (x)=\n  ```"),
    "a fence in a longer fence": ("````text\n```{note}\n(x)=\n```\n````", "````text\n```{note}\n(x)=\n```\n````"),
    "indented code": ("So:\n\n    (x)= {ref}`y`\n\nand on.", "    (x)= {ref}`y`"),
    "a link in code": ("See `[w](01_toy.md)`.", "See `[w](01_toy.md)`."),
    "a role in code": ("See `` {ref}`x <doubling>` ``.", "See `` {ref}`x <doubling>` ``."),
    "a label in code": ("See `(x)=`.", "See `(x)=`."),
    "a substitution in code": ("See `{{ x }}`.", "See `{{ x }}`."),
    "a role": ("See {ref}`the\nbeginning <doubling>`.", f"See [the\nbeginning]({HOME}#doubling)."),
    "a role with two backticks": ("See {ref}``the `x` <doubling>``.", f"See [the \\`x\\`]({HOME}#doubling)."),
    "signs in a role": ("{ref}`a*b and *c* <doubling>`", f"[a\\*b and \\*c\\*]({HOME}#doubling)"),
    "a term": ("A {term}`row stride <stride>`.", "A row stride."),
    "a role in a list": ("- one {ref}`two <doubling>`\n  three", f"- one [two]({HOME}#doubling)\n  three"),
    "a role in a quote": ("> one\n> {ref}`two <doubling>`", f"> one\n> [two]({HOME}#doubling)"),
    "a role in a table": (
        "| a \\| b | {ref}`c <doubling>` |\n|---|---|\n| {term}`d` | `e \\| f` {term}`g` |",
        f"| a \\| b | [c]({HOME}#doubling) |\n|---|---|\n| d | `e \\| f` g |",
    ),
    "a role in a heading": ("## On {term}`strides`", "## On strides"),
    "a role in a link": ("[the {term}`x`](01_toy.md#doubling)", f"[the x]({HOME}#doubling)"),
    "a link with a title": ('[a](01_toy.md "The \\"toy\\"")', f'[a]({HOME} "The \\"toy\\"")'),
    "a link to a notebook": ("[a](01_toy.ipynb)", f"[a]({HOME})"),
    "a link in angles": ("[a](<01_toy.md#doubling>)", f"[a]({HOME}#doubling)"),
    "a link on the page": ("[a](#doubling)", "[a](#doubling)"),
    "a link away": ("[a](https://a.org/b.md)", "[a](https://a.org/b.md)"),
    "an address": ("<https://a.org/b.md>", "<https://a.org/b.md>"),
    "brackets in a link": ("[`x[0]` and [1]](01_toy.md)", f"[`x[0]` and [1]]({HOME})"),
    "a link by its label": ("[a *b*][first] on.\n\n[first]: 01_toy.md", f"[a *b*]({HOME}) on."),
    "a link by its words": ("[a] on.\n\n[a]: 01_toy.md#doubling", f"[a]({HOME}#doubling) on."),
    "a link by empty brackets": ("[a][] on.\n\n[a]: https://a.org/b.md 'T'", '[a](https://a.org/b.md "T") on.'),
    "a label before its use": ("[a]: 01_toy.md\n\n[A] on.", f"[A]({HOME}) on."),
    "an image": ("![a picture](https://a.org/b.png)", "![a picture](https://a.org/b.png)"),
    "an image by its label": ("![a *b*][c]\n\n[c]: https://a.org/b.png 'T'", '![a *b*](https://a.org/b.png "T")'),
    "html in a line": ("H<sub>2</sub>O<br>x", "H<sub>2</sub>O<br>x"),
    "a block of html": ("<details>\n<summary>So</summary>\n\nMore.\n\n</details>", "<summary>So</summary>\n\nMore."),
    "a cut": ("one\n\n+++\n\ntwo", "one\n---\ntwo"),
    "a remark": ("one\n% not shown\ntwo", "one\n\ntwo"),
    "a label": ("(here)=\n## Here", '<a id="here"></a>\n## Here'),
    "a label before a list": ("(here)=\n2. one", '<a id="here"></a>\n\n2. one'),
    "code at the top of a cell": ("+++\n\n    x = 1", "---\n    x = 1"),
    "code at the top of a box": ("```{note}\n\n    x = 1\n```", "> **Note.**\n>\n>     x = 1"),
    "two labels": ("(here)=\n(there)=\n## Here", '<a id="here"></a>\n<a id="there"></a>\n## Here'),
    "a label before a paragraph": ("(here)=\nHere.", '<a id="here"></a>\nHere.'),
    "a table": ("| a | b |\n|--:|---|\n| 1 | 2 |", "| a | b |\n|--:|---|\n| 1 | 2 |"),
    "lists": ("1. one\n   - two\n\n   three\n2) four", "1. one\n   - two\n\n   three\n2) four"),
    "a quote": ("> one\n> > two", "> one\n> > two"),
    "a rule": ("one\n\n***\n\ntwo", "one\n\n***\n\ntwo"),
    "a formula in a line": ("It is $x^2 \\le (y)_1$.", "It is $x^2 \\le (y)_1$."),
    "a formula": ("$$\n\\frac{a}{b}\n$$", "$$\n\\frac{a}{b}\n$$"),
    "a formula's directive": ("```{math}\na^2\n```", "$$\na^2\n$$"),
    "a line's end": ("one\\\ntwo", "one\\\ntwo"),
    "escapes": ("a \\* b &amp; c \\[d](01_toy.md)", "a \\* b &amp; c \\[d](01_toy.md)"),
    "emphasis": ("*a* **b** _c_ __d__ ***e***", "*a* **b** _c_ __d__ ***e***"),
    "brackets that are no link": ("[a] and [b][c] and x[0] (1)", "[a] and [b][c] and x[0] (1)"),
    "a brace that is nothing": ("A {set} of {1, 2}.", "A {set} of {1, 2}."),
}


@pytest.mark.parametrize("name", CARRIED)
def test_a_construct_is_in_the_notebook_as_it_was_meant(toy: Path, name: str) -> None:
    myst, markdown = CARRIED[name]
    assert markdown in in_notebook(toy, myst)


HERE = 77
"""The line in which a piece begins that stands in the place of the toy's last sentence."""

REFUSED = {
    "an unknown directive": ("```{figure} a.png\n```", 0, "the directive {figure} has no form"),
    "a directive in a list": ("- x\n\n  ```{note}\n  Mind.\n  ```", 2, "```{note} is indented"),
    "a directive in a quote": ("> ```{note}\n> Mind.\n> ```", 0, "{note} stands in a quote"),
    "an indented directive": (" ```{note}\n Mind.\n ```", 0, "begin it at the left margin"),
    "a directive without a space": ("```{note}Mind.\nthis\n```", 0, "is no directive"),
    "a directive that is never closed": ("```{note}\nMind.", 0, "{note} is never closed"),
    "a fence that is never closed": ("```python\nx = 1", 0, "is never closed"),
    "an empty box": ("```{note}\n```", 0, "{note} is empty"),
    "words behind a name, and options": ("```{note} One\n:class: dropdown\ntwo\n```", 0, "both words behind its name"),
    "an unknown option": ("```{note}\n:name: x\ntwo\n```", 0, "has the option `:name:`"),
    "an unknown class": ("```{note}\n:class: margin\ntwo\n```", 0, "it takes `dropdown`"),
    "an untitled box": ("```{admonition}\ntwo\n```", 0, "{admonition} has no title"),
    "a box that predicts": ("```{admonition} Predict\nWhat?\n```", 0, "is written {predict}"),
    "words behind a prediction": ("```{predict} What\nis it?\n```", 0, "words behind its name"),
    "a cell in a box": ("````{note}\n```{code-cell}\nx\n```\n````", 1, "the directive {code-cell} has no form"),
    "a cell with a name": ("```{code-cell} ipython3\n:name: x\n\nx\n```", 0, "has the option `:name:`"),
    "tags without brackets": ("```{code-cell} ipython3\n:tags: setup\n\nx\n```", 0, "write tags in brackets"),
    "a formula with words": ("```{math} a\nb\n```", 0, "{math} has words behind its name"),
    "a formula with a label": ("```{math}\n:label: x\nb\n```", 0, "has the option `:label:`"),
    "a formula's label in dollars": ("$$\na\n$$ (x)", 0, "a formula with a label"),
    "a formula with an empty line": ("$$\na\n\nb\n$$", 0, "a formula has an empty line"),
    "an environment": ("\\begin{align}\na\n\\end{align}", 0, "an environment of LaTeX"),
    "colons without a directive": (":::\nx\n:::", 0, "a fence of colons without a directive"),
    "a role that nobody has": ("One\n{kbd}`x`", 1, "write the role"),
    "a role without words": ("{ref}`doubling`", 0, "write the role"),
    "a role to nowhere": ("- one\n- {ref}`a <nowhere>`", 1, "unknown label 'nowhere'"),
    "a link to nowhere": ("[a](gone.md)", 0, "a link to gone.md, which does not exist"),
    "a link to no label": ("[a](#nowhere)", 0, "unknown label 'nowhere'"),
    "a link to a file": ("[a](data.csv)", 0, "lies beside the source"),
    "a link without words": ("[](01_toy.md)", 0, "has no words"),
    "a link of a kind of its own": ("<project:#doubling>", 0, "lies beside the source"),
    "a link in html": ('<a href="01_toy.md">a</a>', 0, "lies beside the source"),
    "an image beside the source": ("![a](b.png)", 0, "the image 'b.png' is in no notebook"),
    "an image in html": ('<img alt="a" src="b.png">', 0, "the image 'b.png' is in no notebook"),
    "a script": ("<script>\nx\n</script>", 0, "the HTML <script> is not shown everywhere"),
    "an image by its label beside the source": ("![a][c]\n\n[c]: b.png", 0, "the image 'b.png' is in no notebook"),
    "a bar in a role in a table": ("| a |\n|---|\n| {term}`b \\| c` |", 2, "has a bar in a table"),
    "a box with a remark alone": ("```{note}\n% b\n```", 0, "{note} is empty"),
    "a footnote": ("a[^1] b\n\n[^1]: c", 0, "a footnote has no form"),
    "a footnote's text": ("a\n\n[^1]: c", 2, "a footnote has no form"),
    "a list of definitions": ("Word\n: what it means", 0, "a definition list has no form"),
    "a list of tasks": ("- one\n- [ ] two", 1, "a list of tasks has no form"),
    "a list of fields": (":a: b\n:c: d", 0, "a list of fields has no form"),
    "a substitution": ("a {{ b }} c", 0, "a substitution has no form"),
    "a block of a substitution": ("{{ b }}", 0, "a substitution has no form"),
    "struck words": ("a ~~b~~ c", 0, "text between tildes has no form"),
    "attributes": ("{.lead}\nWords.", 0, "a line of attributes in braces"),
    "attributes in a line": ("`x`{.python}", 0, "the attributes class in braces"),
    "a span": ("[a]{.b}", 0, "a span with attributes"),
    "an underlined heading": ("Title\n-----", 0, "a heading is underlined: write `## Title`"),
    "a heading in a quote": ("> ## a", 0, "a heading stands in a quote"),
    "a heading in a list": ("- ## a", 0, "a heading stands in a list"),
    "a heading in a box": ("```{note}\nb\n\n## a\n```", 3, "a heading stands in {note}"),
    "a label in a list": ("- (x)=\n  a", 0, "the label `(x)=` stands in a list"),
    "a label with spaces": ("(a b)=\n## c", 0, "takes letters, digits and hyphens"),
    "an address in a list": ("- [a]\n\n  [a]: 01_toy.md", 2, "a link's address stands in a list"),
    "a line that ends in spaces": ("one  \ntwo", 0, "a line ends in spaces"),
    "a cut in a box": ("```{note}\na\n\n+++\n\nb\n```", 3, "a cut `+++` in something else"),
    "a cut with data": ('+++ {"a": 1}', 0, "has data that no cell keeps"),
    "words in a gate": ("```{exercise-start} A\n:label: a\n\nb\n```\n```{exercise-end}\n```", 0, "has text in it"),
    "words behind a gate": (
        "```{exercise-start} A\n:label: a\n```\n```{exercise-end} b\n```",
        3,
        "says more than that",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_notebook_has_is_refused_with_its_file_and_its_line(toy: Path, name: str) -> None:
    myst, line, words = REFUSED[name]
    with pytest.raises(LessonError) as refused:
        in_notebook(toy, myst)
    assert str(refused.value).startswith(f"{MD}:{HERE + line}: ") and words in str(refused.value)


# -- any text ---------------------------------------------------------------------------------------------------

HEAD = "---\nkernelspec: {name: python3}\n---\n\n# Title\n\n(doubling)=\n## Here\n\n"
FEW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORD = re.compile(r"w\d+")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("course")
    for folder in ("book", "notebooks"):
        (root / folder).mkdir()
    (root / "book/index.md").write_text("# Index\n", encoding="utf-8")
    (root / "notebooks/01_toy.md").write_text(HEAD, encoding="utf-8")
    (root / "_config.yml").write_text("html: {baseurl: https://a.org}\n", encoding="utf-8")
    (root / "_toc.yml").write_text("root: book/index\nchapters:\n- file: notebooks/01_toy\n", encoding="utf-8")
    return Course(root)


def cells_of(course: Course, text: str) -> list[str]:
    """The cells that a text becomes."""
    path = course.root / "notebooks/01_toy.md"
    path.write_text(HEAD + text + "\n", encoding="utf-8")
    return [cell.source for cell in read_lesson(path, course).cells]


LINES = [
    *("{}", "`{}`", "*{}*", "**{} {}**", "${}$", "{{ref}}`{} <doubling>`", "{{term}}`{}`", "[{} *{}*](01_toy.md)"),
    *(
        "[{}](#doubling)",
        '[{}](01_toy.md#doubling "{}")',
        "[{}][there]",
        "[{}](https://a.org/{})",
        "{}\\\n{}",
        "{}\n{}",
    ),
    *(
        "<b>{}</b>",
        "`` {{ref}}`{}` ``",
        "![{}](https://a.org/{}.png)",
        "<https://a.org/{}>",
        "\\*{}\\[{}]",
        "{{term}}`{}\n{}`",
    ),
]
"""What may stand in a paragraph, with a word in each pair of braces."""
BLOCKS = [
    *("```python\n{}\n(x)=\n```", "~~~\n{}\n~~~", "````text\n```{{note}} {}\n```\n````", "$$\n{}\n$$"),
    *("```{{math}}\n{}\n```", "<div>\n{}\n</div>", "### {} `{}`", "(l{})=\n### {}", "+++", "***", "% nothing"),
    *("| {} | `{}` |\n|---|---|\n| {{term}}`{}` | {} |", "- {}\n- {}\n  {}", "1. {}\n\n   {}", "> {}\n> {}\n{}"),
    *("    {}", "```{{code-cell}} ipython3\n:tags: [setup]\n\n{}\n```", "```{{predict}}\n{}\n```"),
]
"""What may stand in a lesson, likewise."""

lines = st.lists(st.sampled_from(LINES), min_size=1, max_size=4).map(" ".join)


def boxed(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Boxes and quotes with something in them; a longer fence holds a shorter one."""
    heads = ["{{note}}", "{{tip}} {}", "{{admonition}} {} *{}*", "{{note}}\n:class: dropdown", "{{seealso}}\n\n"]
    return st.builds(
        lambda head, sign, body: (
            f"{sign * (7 + body.count(sign * 7))}{head}\n{body}\n{sign * (7 + body.count(sign * 7))}"
        ),
        st.sampled_from(heads),
        st.sampled_from("`:~"),
        inside,
    )


inner = st.one_of(lines, st.sampled_from([one for one in BLOCKS if one[0] not in "#(+%" and "code-cell" not in one]))
texts = st.lists(st.one_of(lines, st.sampled_from(BLOCKS), boxed(inner), boxed(boxed(inner))), max_size=6)


def numbered(text: str) -> str:
    """A text with a word of its own in each pair of braces."""
    return text.format(*(f"w{i}" for i in range(1, text.count("{}") + 1)))


@FEW
@given(parts=texts)
def test_a_text_of_known_constructs_keeps_its_words_in_their_order(course: Course, parts: list[str]) -> None:
    text = numbered("\n\n".join(parts))
    cells = cells_of(course, f"{text}\n\n[there]: https://a.org")
    assert WORD.findall("\n".join(cells)) == WORD.findall(text)


SIGNS = [
    *(
        "w0",
        "w0",
        "w0 ",
        " ",
        "\n",
        "\n",
        "\n\n",
        "`",
        "``",
        "```",
        "~~~",
        ":::",
        "{note}",
        "{predict}",
        "{ref}",
        "*",
        "**",
    ),
    *(
        "- ",
        "1. ",
        "> ",
        "# ",
        "    ",
        "  ",
        "\t",
        "|",
        "\n|---|---|\n",
        "$",
        "$$",
        "[",
        "]",
        "](01_toy.md)",
        "(x)=",
        "\\",
    ),
    *(
        "](#doubling)",
        "<doubling>",
        "<b>",
        "</b>",
        "+++",
        "***",
        "{",
        "}",
        "{{",
        "}}",
        ":class: dropdown",
        "---",
        "===",
        "=",
        "^",
    ),
]
"""Of what a text is made that nobody would write."""


def shape_of(text: str) -> list[str]:
    """The code, the lists and the tables of a text, as programs find them that know plain Markdown alone."""
    kinds = ("fence", "code_block", "bullet_list_open", "ordered_list_open", "th_open")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = (one for token in tokens for one in [token, *(token.children or [])])
    return [one.type + one.content.strip() for one in inner if one.type in (*kinds, "code_inline")]


def shape_on_page(text: str) -> list[str]:
    """The same of a text in MyST."""
    found: list[str] = []
    for node in page_of(text).walk():
        if node.type in ("fence", "code_block", "bullet_list", "ordered_list", "th"):
            found.append(node.token.type + node.token.content.strip())
        found += ["code_inline" + mark.text.strip() for mark in node.marks if mark.type == "code_inline"]
    return found


@FEW
@given(signs=st.lists(st.sampled_from(SIGNS), min_size=4, max_size=25))
@example(signs=["```", "{note}", " ", "w0", "\n", "w0", "\n", "```"])
def test_any_text_keeps_its_words_or_is_refused(course: Course, signs: list[str]) -> None:
    text = numbered("".join(signs).replace("{", "{{").replace("}", "}}").replace("w0", "{}"))
    try:
        cells = cells_of(course, text)
    except LessonError as error:
        assert str(error).startswith("notebooks/01_toy.md:")
    else:
        assert WORD.findall("\n".join(cells)) == WORD.findall(text)
        if not {"$", "{"} & set(text.replace("{note}", "").replace("{predict}", "")):  # a notebook has no roles
            assert [one for cell in cells for one in shape_of(cell)] == shape_on_page(HEAD + text)
