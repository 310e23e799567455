"""What a turn means, read from its words alone."""

from turnkeeper.facts.words import Actor, Intent
from turnkeeper.machines.intent.judge import Verdict, detect

__all__ = ["Actor", "Intent", "Verdict", "detect"]
