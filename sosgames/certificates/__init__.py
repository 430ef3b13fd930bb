"""What has to be trusted: exact types, readers of game files, and the verifier of proofs.

This folder imports the standard library and itself only, holds no floating point arithmetic, and runs
alone with nothing installed::

    python -I -S sosgames/certificates proof.json game.toml

Everything else in the package searches; this folder checks.
"""
