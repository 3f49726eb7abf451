"""What the answers to lesson 80 share."""

import numpy as np


def parts(net, x, y, size):
    """The logits and the labels of each batch, in evaluation mode."""
    net.eval()
    return [(np.asarray(net(x[i : i + size]))[:, 0], y[i : i + size]) for i in range(0, len(x), size)]
