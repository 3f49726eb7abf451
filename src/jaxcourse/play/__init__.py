"""Pictures that take the reader's own input: free fields, examples to start from, a text that says what is shown.

A picture is one piece of HTML with its style and its script, and asks nothing of anybody: no library, no kernel, no
network. It is the same on the site, in Jupyter and in Colab. On the site, its state is in the page's address, so that
a link leads to it. Without a script, and in a terminal, the text of its first state is shown.

Each picture has its rules twice: in `js/`, where the reader's browser follows them, and here, where NumPy and JAX
say the same words about the same input. The tests compare the two in a browser, on random inputs.
`explore` has the pictures in which the reader chooses among a few.
"""

from jaxcourse.play._autodiff import autodiff as autodiff
from jaxcourse.play._broadcasting import broadcasting as broadcasting
from jaxcourse.play._compiles import compiles as compiles
from jaxcourse.play._indexing import indexing as indexing
from jaxcourse.play._keys import keys as keys
from jaxcourse.play._memory import memory as memory
from jaxcourse.play._pieces import pieces as pieces
from jaxcourse.play._play import Play as Play
from jaxcourse.play._roofline import roofline as roofline
from jaxcourse.play._sharding import sharding as sharding

__all__ = [
    "Play",
    "autodiff",
    "broadcasting",
    "compiles",
    "indexing",
    "keys",
    "memory",
    "pieces",
    "roofline",
    "sharding",
]
