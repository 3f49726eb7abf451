"""All headlines."""

from jaxcourse_author.headlines._devices import DEVICES
from jaxcourse_author.headlines._ewma import EWMA
from jaxcourse_author.headlines._gradients import GRADIENTS
from jaxcourse_author.headlines._products import PRODUCTS
from jaxcourse_author.headlines._quadratic import QUADRATIC
from jaxcourse_author.headlines._training import TRAINING

HEADLINES = {one.name: one for one in (EWMA, QUADRATIC, TRAINING, PRODUCTS, GRADIENTS, DEVICES)}
"""All of them, by name, in the order in which they are measured."""
