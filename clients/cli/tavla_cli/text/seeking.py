"""What is sought, as options of a quick match and as the command that seeks the same. Pure."""

import shlex
from collections.abc import Mapping

from tavla_engine.rules import CLOCKS, PRESETS, Rules, preset

Changed = Mapping[str, bool | int | str]  # the options that differ from the default, as rows of the lobby have them
_OPTIONS = ("variant", "length", "cube", "delay_s", "reserve_s", "rated")  # beside the preset: those of quick match


def seek_options(changed: Changed) -> dict[str, bool | int | str] | None:
    """What to ask of quick match for these rules, hints aside; None if it has no such match."""
    wanted = {**Rules()._asdict(), **changed, "hints": False}
    for known, its in PRESETS.items():
        options: dict[str, bool | int | str] = {option: wanted[option] for option in _OPTIONS}
        if preset(known, options)._replace(hints=False)._asdict() == wanted:
            plain = its.rules._asdict()
            times = {"delay_s", "reserve_s"}  # always named: a quick match has a clock unless one says that it has none
            kept = {name: value for name, value in options.items() if name in times or value != plain[name]}
            return kept if known == "tournament" else {"preset": known, **kept}
    return None


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
