"""A marimo notebook is a script whose cells are functions."""

import pytest

from jaxcourse_grade.intake._marimo import marimo_cells

SCRIPT = '''\
import marimo

__generated_with = "0.15.0"
app = marimo.App(width="medium")

with app.setup(hide_code=True):
    # the set-up
    import numpy as np


@app.cell
def _():
    import jax
    return (jax,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Words
    """)
    return


@app.cell
def centre(np):
    # exercise: centre-columns
    @staticmethod
    def centre_columns(x):
        """Centre."""
        return x - x.mean(axis=0)

    twice = """2
times"""
    return centre_columns, twice


@app.function
def least_time(n):
    return 2 * n


app._unparsable_cell(
    r"""
    %matplotlib inline
    """,
    name="_"
)


@app.cell
def _():
    return


if __name__ == "__main__":
    app.run()
'''


def test_the_cells_of_a_marimo_notebook_are_the_bodies_of_its_functions():
    assert marimo_cells(SCRIPT) == [
        "# the set-up\nimport numpy as np",
        "import jax",
        'mo.md(r"""\n# Words\n""")',
        "# exercise: centre-columns\n@staticmethod\ndef centre_columns(x):\n"
        '    """Centre."""\n    return x - x.mean(axis=0)\n\ntwice = """2\ntimes"""',
        "def least_time(n):\n    return 2 * n",
        "%matplotlib inline",
    ]


@pytest.mark.parametrize(
    "text", ["x = 1", "import marimo\n", "app = marimo.App()\ndef f(:", "marimo.App(" + "(" * 10_000]
)
def test_what_is_no_marimo_notebook_is_a_script(text):
    assert marimo_cells(text) is None
