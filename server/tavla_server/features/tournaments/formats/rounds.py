"""Rules of all formats with rounds. Pure."""

from tavla_server.features.tournaments.state import Tournament

OVER = "this tournament is over: no more matches are made"
BEGUN = "this tournament has begun: it takes no more players"


def no_more(state: Tournament, now_ms: int) -> bool:
    """True if no more rounds begin. One that nobody came to waits for a round's time."""
    if state.round:
        return state.round >= state.rounds
    return now_ms >= state.plan.ends_ms


def plays_again(state: Tournament, player: str) -> bool:
    """True if a match of a player in this round is to be played again."""
    return any(player in state.pairs[number].players for number in state.again)


def doublings(players: int) -> int:
    """The rounds after which one of so many has won all: 4 for 9 to 16."""
    return (players - 1).bit_length()
