"""What `make demo` runs."""

import sosgames

print(sosgames.__doc__)
