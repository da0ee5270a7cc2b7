"""Rules that a request of ours asks for, compared with those that the server offers before our seed is revealed."""

from collections.abc import Mapping

from tavla_engine.rules import BadRules, Rules, preset

Options = Mapping[str, bool | int | str]
_OF_SEVERAL = ("preset", "clock")  # names of several options together


def asked_rules(wanted: Options, quick: bool = False) -> dict[str, bool | int | str]:
    """Every option of a request, those of its preset included. quick: it seeks a quick match.

    What this version does not know is left to the server: then it is the options that the request names.
    """
    changes = dict(wanted)
    try:
        rules = preset(str(changes.pop("preset", "tournament")), changes, quick)._asdict()
    except BadRules:
        return {name: value for name, value in wanted.items() if name not in _OF_SEVERAL}
    if quick and not rules["rated"]:
        del rules["hints"]  # an open table may have them
    return {name: str(value) if isinstance(value, str) else value for name, value in rules.items()}


def rules_fault(asked: Options, offered: Options) -> str:
    """Difference of the rules that are offered from those that were asked for, as a sentence; "" = none."""
    if unknown := offered.keys() - set(Rules._fields):
        return f"this program does not know the option {min(unknown):.40} of this match: update it"
    whole = {**Rules._field_defaults, **offered}
    other = [name for name, value in asked.items() if name in whole and whole[name] != value]
    if not other:
        return ""
    told = (", ".join(f"{name} {_text(rules[name])}" for name in other) for rules in (asked, whole))
    return "you asked for {}, and the server offers {}".format(*told)


def _text(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:.20}" if isinstance(value, str) else f"{value}"
