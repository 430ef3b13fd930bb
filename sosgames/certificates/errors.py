"""The errors of the package: one root, and the two that reading and checking can raise."""


class SosgamesError(Exception):
    """Root of every error that sosgames raises on purpose; its text is one sentence with the remedy."""


class InputError(SosgamesError, ValueError):
    """A game, set, expression or argument that is not what was asked for; the text names the place."""


class CertificateError(SosgamesError):
    """A proof that does not prove its claim about the game at hand; the text says which line fails."""
