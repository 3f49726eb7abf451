"""All headlines."""

from jaxcourse.headlines._devices import DEVICES
from jaxcourse.headlines._ewma import EWMA
from jaxcourse.headlines._gradients import GRADIENTS
from jaxcourse.headlines._products import PRODUCTS
from jaxcourse.headlines._quadratic import QUADRATIC
from jaxcourse.headlines._training import TRAINING

HEADLINES = {one.name: one for one in (EWMA, QUADRATIC, TRAINING, PRODUCTS, GRADIENTS, DEVICES)}
"""All of them, by name, in the order in which they are measured."""
