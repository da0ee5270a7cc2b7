"""The bots that ship with Tavla, by name: `tavla bot run NAME`. Built on the kit of `tavla_client`, like anybody's."""

from tavla_client import Bot

from tavla_bots.dicey import Random

BOTS: dict[str, type[Bot]] = {
    "random": Random,
}
