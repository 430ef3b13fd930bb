"""Does the fitted model describe the cascades? Time-rescaling residuals."""

from cascades.diagnostics.residuals import Residuals, residuals

__all__ = ["Residuals", "residuals"]
