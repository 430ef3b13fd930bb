"""Names for the few array and label types that tables are made of."""

import numpy as np
from numpy.typing import NDArray

Label = str | int
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
