"""Rules and opponent that we ask for, compared with what the server offers before our seed is revealed."""

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


def whole_rules(shown: Options) -> dict[str, bool | int | str]:
    """Every option of a table or match, by those that were shown: they differ from the default."""
    return {**Rules._field_defaults, **shown}


def opponent_fault(asked: str, offered: str | None) -> str:
    """Difference of the opponent from the one that we asked for, "" = anybody, as a sentence; "" = none."""
    if not asked or asked.lower() == (offered or "").lower():
        return ""
    return f"you asked for a match with {asked:.20}, and the server offers one with {offered or 'nobody':.20}"


def rules_fault(asked: Options, offered: Options) -> str:
    """Difference of the rules that are offered from those that were asked for, as a sentence; "" = none."""
    if unknown := offered.keys() - set(Rules._fields):
        return f"this program does not know the option {min(unknown):.40} of this match: update it"
    whole = whole_rules(offered)
    other = [name for name, value in asked.items() if name in whole and whole[name] != value]
    if not other:
        return ""
    told = (", ".join(f"{name} {_text(rules[name])}" for name in other) for rules in (asked, whole))
    return "you asked for {}, and the server offers {}".format(*told)


def _text(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:.20}" if isinstance(value, str) else f"{value}"
