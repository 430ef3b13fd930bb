"""What `certify` answers: a verdict that follows from an exact bracket, and the proofs of both ends."""

from sosgames.results.bracket import Bracket, Step, Stop
from sosgames.results.certification import Certification
from sosgames.results.verdict import Verdict, is_strict, verdict_of

__all__ = ["Bracket", "Certification", "Step", "Stop", "Verdict", "is_strict", "verdict_of"]
