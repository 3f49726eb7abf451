"""What the answers to lesson 10 share."""

import numpy as np

as_strided = np.lib.stride_tricks.as_strided
