"""The bots that ship with Tavla, by name: `tavla bot run NAME`. Built on the kit of `tavla_client`, like anybody's."""

import os

# For our small networks OpenBLAS with threads takes 1.7 times the CPU, for the same time. It reads this once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tavla_client import Bot

from tavla_bots.external import External
from tavla_bots.gnubg import Gnubg, GnubgCasual, GnubgWorldClass
from tavla_bots.house import Beginner, Casual, Club, House, Strong, WorldClass
from tavla_bots.random_bot import Random
from tavla_bots.sage_bot import SageBot

BOTS: dict[str, type[Bot]] = {
    "random": Random,
    "beginner": Beginner,
    "casual": Casual,
    "club": Club,
    "strong": Strong,
    "expert": House,
    "world-class": WorldClass,
    "sage": SageBot,
    "gnubg": Gnubg,
    "gnubg-casual": GnubgCasual,
    "gnubg-world-class": GnubgWorldClass,
    "external": External,
}
