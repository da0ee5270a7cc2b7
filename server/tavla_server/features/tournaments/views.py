"""A tournament as clients are shown it: its row, its standings, and the record of what was played. Pure."""

from tavla_protocol import messages as m

from tavla_server.features.tournaments.formats import format_of, standings
from tavla_server.features.tournaments.state import Entrant, Ruling, Tournament
from tavla_server.match import ids as match_ids
from tavla_server.record.projection import changed_options


def row_of(state: Tournament) -> m.Tournament:
    """The row of a tournament in the list."""
    opened = state.plan
    return m.Tournament(
        name=opened.name,
        by=opened.by.name,
        rules=changed_options(opened.rules),
        starts=opened.starts_ms // 1000,
        ends=opened.ends_ms // 1000,
        players=len(state.playing_ids()),
        playing=len(state.playing),
        halted=state.halted,
        over=bool(state.closed_ms),
        private=opened.private,
        min_rating=opened.band[0],
        max_rating=opened.band[1],
        format=opened.format,
        round=state.round,
        rounds=state.rounds or opened.rounds,
    )


def standing_of(tournament: str, state: Tournament, entrant: Entrant) -> m.Standing:
    """A player's row in the standings."""
    _, wins, streak, performance = entrant.score
    format_ = format_of(state)
    points, *tiebreaks = format_.ranks(state, entrant)
    match = "" if entrant.number is None else match_of(tournament, state, entrant.number)
    return m.Standing(
        kind=entrant.player.kind,
        rating=None if entrant.player.rating is None else round(entrant.player.rating),
        points=points,
        matches=len(entrant.results),
        wins=wins,
        streak=streak,
        performance=None if performance is None else round(performance),
        waiting=bool(entrant.commitment) and not format_.refusal(state, entrant.player.id, 0),
        match=match,
        code="" if entrant.number is None else code_of(tournament, state, entrant.number),
        tiebreaks=tuple(tiebreaks),
    )


def leaders(state: Tournament) -> list[tuple[str, int]]:
    """The first three, as far as there are: their names and points."""
    ranks = format_of(state).ranks
    return [(entrant.player.name, ranks(state, entrant)[0]) for entrant in standings(state)[:3]]


def result_text(state: Tournament) -> str:
    """A tournament in one line, such as `Winter Cup: 1. ada, 2. bob, 3. cid`; before its end how many are in it."""
    if state.closed_ms and state.pairs:
        places = (f"{place}. {name}" for place, (name, _) in enumerate(leaders(state), 1))
        return f"{state.plan.name}: {', '.join(places)}"
    count = len(state.playing_ids())
    return f"{state.plan.name}: {state.plan.format}, {count} player{'' if count == 1 else 's'}"


def match_of(tournament: str, state: Tournament, number: int) -> str:
    """The id of the match of a pairing."""
    return match_ids.of_tournament(tournament, number, state.pairs[number].since_ms)


def code_of(tournament: str, state: Tournament, number: int) -> str:
    """The code of the match of a pairing; "" in a tournament that is not private."""
    return match_ids.code_of(tournament, match_of(tournament, state, number)) if state.plan.private else ""


def pairing_of(tournament: str, state: Tournament, number: int) -> m.Pairing:
    """A match, or a bye."""
    pair = state.pairs[number]
    scored = pair.scored
    return m.Pairing(
        round=pair.round,
        match=match_of(tournament, state, number) if pair.is_played else "",
        code=code_of(tournament, state, number) if pair.is_played else "",
        players=tuple(state.entrants[player].player.name for player in filter(None, pair.players)),
        time=pair.since_ms,
        over=scored is not None,
        winner=None if scored is None else scored.winner,
        absent=[] if scored is None else list(scored.absent),
        bracket=pair.bracket,
    )


def ruling_of(tournament: str, state: Tournament, ruling: Ruling) -> m.TournamentRuling:
    """A ruling on the tournament, or on one of its matches."""
    time_ms, one = ruling
    return m.TournamentRuling(
        time=time_ms,
        by=one.by.name if one.by else "",
        what=one.what,
        player=one.about.name if one.about else "",
        reason=one.reason,
        judge=one.judge,
        match="" if one.match is None else match_of(tournament, state, one.match),
    )
