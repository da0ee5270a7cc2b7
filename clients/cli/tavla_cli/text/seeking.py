"""Quick matches that are sought, as options and as the command that seeks the same. Pure."""

import shlex
from collections.abc import Mapping

from tavla_engine.rules import CLOCKS, PRESETS, Rules, preset
from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import player_text, wait_text, word_for
from tavla_cli.text.rules import rules_text

Changed = Mapping[str, bool | int | str]  # the options that differ from the default, as rows of the lobby have them
_OPTIONS = ("variant", "length", "cube", "delay_s", "reserve_s", "rated")  # beside the preset: those of quick match


def seek_options(changed: Changed) -> dict[str, bool | int | str] | None:
    """Options of a quick match for these rules, hints aside; None if there is no such match."""
    wanted = {**Rules()._asdict(), **changed, "hints": False}
    for known, its in PRESETS.items():
        options: dict[str, bool | int | str] = {option: wanted[option] for option in _OPTIONS}
        if preset(known, options)._replace(hints=False)._asdict() == wanted:
            plain = its.rules._asdict()
            times = {"delay_s", "reserve_s"}  # always named: a quick match has a clock unless one says that it has none
            kept = {name: value for name, value in options.items() if name in times or value != plain[name]}
            return kept if known == "tournament" else {"preset": known, **kept}
    return None


def seeker_text(seeker: m.Seeker, now: int) -> str:
    """`dolly 1523 wants a match to 9 points, clock 8 s + 20 s a point; waits 40 s`. now: in seconds since 1970."""
    who = player_text(seeker.name, seeker.kind, seeker.rating)
    return f"{who} wants {_named(rules_text(seeker.rules))}; waits {wait_text(max(0, now - seeker.since))}"


def near_misses(sought: Changed, you: str, tables: Mapping[str, m.Table], seekers: Mapping[str, m.Seeker]) -> list[str]:
    """Players who wait for something else, each with the command that would fit.

    sought: the rules that the reader seeks, whole or as far as they are not the default.
    """
    whole = {**Rules()._asdict(), **sought}
    lines = []
    for id_, table in tables.items():
        if you not in table.players and table.opponent == "person" and not any(table.away):
            maker = clean(next(player for player in table.players if player is not None))
            join = shlex.join(["tavla", "join", clean(word_for(table.name, id_))])
            lines.append(f"{maker} waits at a table for {rules_text(table.rules)}: {join}")
    for seeker in seekers.values():
        command = play_command(seeker.rules)
        if seeker.name != you and command is not None and {**Rules()._asdict(), **seeker.rules} != whole:
            lines.append(f"{clean(seeker.name)} waits for {_named(rules_text(seeker.rules))}: {command}")
    return lines


def _named(rules: str) -> str:
    return f"a {rules}" if rules.startswith("match") else rules


def play_command(changed: Changed) -> str | None:
    """The command that seeks the same; None if quick match has no such match."""
    options = seek_options(changed)
    if options is None:
        return None
    clock = (options.pop("delay_s"), options.pop("reserve_s"))
    named = next((known for known, times in CLOCKS.items() if times == clock), None)
    if named is None:
        return None
    words = ["tavla", "play"]
    if "preset" in options:
        words += ["--preset", str(options["preset"])]
    words += ["--length", str(options["length"])] if "length" in options else []
    words += ["--variant", str(options["variant"])] if "variant" in options else []
    words += ["--cube" if options["cube"] else "--no-cube"] if "cube" in options else []
    words += ["--clock", named, *(["--rated"] if options.get("rated") else [])]
    return shlex.join(words)
