"""The proof of a match's dice, as its export has it: what was committed to, what was revealed, and every roll.

Of a JSON file the referee judges whether it holds, and what was played with it. Other formats have remarks alone: the
terms without their third line, that line, and the seeds; and no ties of opening rolls.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tavla_engine.apply import replay
from tavla_engine.chain import ChainDice, link_number
from tavla_engine.dice import keeps
from tavla_engine.events import Event, OpeningRolled, Rolled
from tavla_engine.match import Match
from tavla_engine.terms import LINES, binding

REMARKS = ("Terms", "Rules", "Seeds", "Seed")
Pair = tuple[str, str]


class RemarkedProof(NamedTuple):
    """A proof in remarks. rolls: those that follow from the seeds; others: of games for which no seed is shown.

    fault: why it does not hold, as a sentence; "" = it holds.
    """

    rolls: int = 0
    others: int = 0
    fault: str = ""


def proof_of(
    match: str, terms: str, committed: str, commitments: Pair, seeds: Pair, seed: str, events: Iterable[Event]
) -> dict[str, Any]:
    """The proof as plain data, for JSON.

    terms: their text. committed: the server's commitment; commitments, seeds: the players', by seat. seed: the server's
    newest, in hex. events: all of the match, in order.
    rolls: [number, die, die], as they were drawn; opening rolls have a fourth item, true.
    """
    drawn = [event for event in events if isinstance(event, OpeningRolled | Rolled)]
    return {
        "match": match,
        "terms": terms,
        "commitment": committed,
        "commitments": list(commitments),
        "seeds": list(seeds),
        "seed": seed,
        "rolls": [
            [number, *event.dice, *([True] if isinstance(event, OpeningRolled) else [])]
            for number, event in enumerate(drawn, 1)
        ],
    }


def remarks_of_proof(terms: str, seeds: Pair, seed: str) -> dict[str, str]:
    """The proof as remarks, by their names."""
    head, match, rules, *others = terms.removesuffix("\n").split("\n")
    shown = " ".join(seed or "-" for seed in seeds)
    return dict(zip(REMARKS, ("|".join((head, match, *others)), rules, shown, seed), strict=True))


def check_remarks(remarks: Mapping[str, str], start: Match, events: Iterable[Event]) -> RemarkedProof:
    """Judge whether the rolls of a match follow from the proof in its remarks, which are all there."""
    terms = remarks["Terms"].split("|")
    lines = (*terms[:2], remarks["Rules"], *terms[2:])
    seeds = tuple(seed.removeprefix("-") for seed in remarks["Seeds"].split())
    try:
        *_, server, white, black = lines if len(lines) == LINES else ()
        newest = bytes.fromhex(remarks["Seed"][: len(server)])  # a stranger's may be of megabytes
        number = link_number(newest, server)
        kept = [keeps(seed, committed) for seed, committed in zip(seeds, (white, black), strict=True)]
    except ValueError:
        return RemarkedProof(fault="the proof in its remarks is cut, or was changed")
    if number is None or not all(kept):
        whose = "the server's" if number is None else ("white's", "black's")[kept.index(False)]
        return RemarkedProof(fault=f"{whose} seed is not the one that the terms commit to")
    bound, shown = binding("".join(f"{line}\n" for line in lines)), (seeds[0], seeds[1])
    return _check_rolls(ChainDice(newest, number, bound, shown), start, events)


def _check_rolls(dice: ChainDice, start: Match, events: Iterable[Event]) -> RemarkedProof:
    rolls = others = drawn = 0
    for match, event, _ in replay(start, events):
        if isinstance(event, OpeningRolled | Rolled) and match.link > dice.number:
            others += 1
        elif isinstance(event, OpeningRolled | Rolled):
            roller, is_opening = dice.roller(match), isinstance(event, OpeningRolled)
            rolls, drawn = rolls + 1, drawn + 1
            due = roller(drawn)
            while is_opening and due[0] == due[1] and event.dice != due:  # a tie, which is in no such file
                drawn += 1
                due = roller(drawn)
            if event.dice != due and (is_opening or sorted(event.dice) != sorted(due)):
                shown, right = ("-".join(map(str, one)) for one in (event.dice, due))
                return RemarkedProof(
                    fault=f"roll {rolls}, of game {match.game}, is {shown}, and the seeds give {right}"
                )
    return RemarkedProof(rolls, others)
