"""Parser for an answer to a position: a play, or a word for the cube. Pure."""

from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match
from tavla_engine.notation import format_play
from tavla_engine.plays import resolve_play

from tavla_cli.input.parsing import BadCommand, Command, Play, parse

CUBE = {  # by phase: what may be typed, and what that is called
    "roll": {"roll": "no double", "double": "double"},
    "cube": {"take": "take", "drop": "drop"},
}


def choice_of(line: str, at: Match) -> str:
    """The choice that a line stands for; "" = to go. Raises: BadCommand, with a sentence."""
    choices = CUBE.get(at.phase.value, {})
    text = " ".join(line.lower().split())
    if text in choices.values():
        return text
    match parse(text):
        case Command("quit"):
            return ""
        case Command(name) if name in choices:
            return choices[name]
        case Play(moves) if at.dice:
            try:
                play, _ = resolve_play(at.position, at.dice, moves, at.rules.hit_and_run)
            except IllegalAction as error:
                raise BadCommand(str(error)) from None
            return format_play(at.position, play)
    raise BadCommand(f"type {' or '.join(choices) or 'a play, such as 8/5 6/5'}, or quit")
