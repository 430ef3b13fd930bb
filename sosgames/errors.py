"""All errors of the package in one place; the trusted ones come from the verifier's folder."""

from sosgames.certificates.errors import CertificateError, InputError, SosgamesError

__all__ = ["CertificateError", "InputError", "LimitError", "SolverError", "SosgamesError"]


class LimitError(SosgamesError):
    """A size, time or memory limit forbids the work; the text says the estimate, the limit and the advice."""


class SolverError(SosgamesError):
    """No solver fits, or the one asked for cannot be used here; the text says why and what to install."""
