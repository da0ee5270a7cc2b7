"""Settings of the terminal client that the user can switch on and off."""

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """Settings of a user, each as `TEXTS` has it."""

    confirm: bool = False
    ask: bool = True
    bell: bool = True
    forced: bool = False
    first: bool = False


TEXTS = {
    "confirm": "show the board after a play, and ask before it is final",
    "ask": "ask before a word doubles, takes, drops or beavers",
    "bell": "ring when it is your turn, and when you are doubled",
    "forced": "play your turn at once when there is only one way to play it",
    "first": "wait at the start of a game until you roll for first with Enter, 3 s at most",
}
NAMES = tuple(TEXTS)
THROUGH_A_PIPE = Settings(
    confirm=False, ask=False, bell=False, forced=False, first=False
)  # questions have to be asked for


def setting_lines(settings: Settings) -> list[tuple[str, str]]:
    """All of them: `confirm off`, and what that is."""
    return [(f"{name} {'on' if getattr(settings, name) else 'off'}", text) for name, text in TEXTS.items()]
