"""Events in a few words."""

from tavla_engine import events as e
from tavla_engine.events import Event
from tavla_engine.notation import format_moves

SIDES = ("white", "black")
DOES: dict[type[Event], str] = {
    e.Readied: "is ready",
    e.Doubled: "doubles",
    e.Taken: "takes",
    e.Beavered: "beavers",
    e.ResignationRefused: "refuses the resignation",
    e.AutoSet: "leaves something to the server",
    e.AbortAsked: "speaks of aborting the match",
    e.PositionSet: "is on roll in a set-up position",
}


def event_text(event: Event) -> str:
    """An event in a few words, such as `white doubles`."""
    match event:
        case e.GameStarted(crawford):
            return "the Crawford game begins" if crawford else "a game begins"
        case e.OpeningRolled(die_0, die_1):
            return f"the opening roll is {die_0}-{die_1}"
        case e.Rolled(seat, die_1, die_2):
            return f"{SIDES[seat]} rolls {die_1}-{die_2}"
        case e.Moved(seat, moves):
            return f"{SIDES[seat]} plays {format_moves(moves)}" if moves else f"{SIDES[seat]} cannot move"
        case e.GameEnded(winner, points, _, ending):
            return f"{SIDES[winner]} wins {points} by {ending.value}"
        case e.MatchEnded(winner, ending):
            who = "nobody" if winner is None else SIDES[winner]
            return f"{who} wins the match by {ending.value}"
        case e.ResignationOffered(seat, value):
            return f"{SIDES[seat]} offers to resign {value}"
    return f"{SIDES[event.seat]} {DOES[type(event)]}"
