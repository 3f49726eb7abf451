"""Pictures of how numbers lie in memory and on devices, and of how functions are mapped and differentiated.

Nothing here is typed in: addresses come from `array.__array_interface__`, steps from `array.strides`, the
bytes of Python objects from `id` and `sys.getsizeof`, who holds what from `array.sharding`.
A picture is inline SVG without scripts or external files, and what ids it has are its own, so that any number of them
can share a page, be hidden and be shown again.

Three terms mean the same in every picture. The *buffer* is the memory of the array that owns the bytes (an
array's last `.base`); a byte's *offset* counts from the start of the buffer; a *cache line* is the 64 bytes,
starting at a multiple of 64, that a processor moves at once.
"""

from jaxcourse.draw._blocks import blocks as blocks
from jaxcourse.draw._broadcast import broadcast as broadcast
from jaxcourse.draw._collectives import collective as collective
from jaxcourse.draw._collectives import timetable as timetable
from jaxcourse.draw._elements import LINE_BYTES as LINE_BYTES
from jaxcourse.draw._elements import Array as Array
from jaxcourse.draw._image import film as film
from jaxcourse.draw._image import image as image
from jaxcourse.draw._layout import layout as layout
from jaxcourse.draw._mapped import mapped as mapped
from jaxcourse.draw._objects import objects as objects
from jaxcourse.draw._processes import processes as processes
from jaxcourse.draw._shards import shards as shards
from jaxcourse.draw._tape import tape as tape
from jaxcourse.draw._tape import tape_steps as tape_steps
from jaxcourse.draw._views import views as views
from jaxcourse.draw._walk import Order as Order
from jaxcourse.draw._walk import fetches as fetches
from jaxcourse.draw._walk import walk as walk
from jaxcourse.figures import themed as themed

__all__ = [
    "LINE_BYTES",
    "Array",
    "Order",
    "blocks",
    "broadcast",
    "collective",
    "fetches",
    "film",
    "image",
    "layout",
    "mapped",
    "objects",
    "processes",
    "shards",
    "tape",
    "tape_steps",
    "themed",
    "timetable",
    "views",
    "walk",
]
