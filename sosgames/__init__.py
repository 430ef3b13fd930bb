"""Is a polynomial game concave? monotone? A verdict with a proof that can be checked without trusting us."""

__all__: list[str] = []
