"""`python -m sosgames` is the command `sosgames`."""

from sosgames.cli import main

main()
