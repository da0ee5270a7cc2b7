"""Analysis of a match, in lines. Pure."""

from collections.abc import Iterator, Sequence

from tavla_engine.analysis import Analysis, Finding, Tally, double_finding, take_finding
from tavla_engine.match import Match, Phase
from tavla_protocol.messages import DeeperLook

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import dice_text

WORST = 10
_ROUGH = "the house evaluator"  # as `tavla_bots.house_judge` calls it
_NAME = 18  # columns of a player's figures
_SHORT = 10  # of a name in the list
_PLAY = 21  # of a play


def caution(analysis: Analysis) -> Iterator[str]:
    """Remark on the figures of a weaker judge."""
    if analysis.by == _ROUGH:
        yield "It is a rough judge: a PR is off by 0.7 in the mean, and by 2 at times."
        yield "Where Sage is installed (tavla[analysis]) and knows the game, it judges, and the figures are right."
        yield ""


def summary(analysis: Analysis, names: tuple[str, str]) -> Iterator[str]:
    """Both players side by side."""
    yield _row("", [clean(name) for name in names])
    yield _row("performance rating", [_rating(analysis.all(seat)) for seat in (0, 1)])
    yield _row("lost by plays", [_lost(analysis.plays(seat)) for seat in (0, 1)])
    yield _row("lost with the cube", [_lost(analysis.cube(seat)) for seat in (0, 1)])
    yield _row("luck of the dice", [f"{luck:+.3f}" for luck in analysis.luck])
    yield "PR is 500 times the loss of a decision; those count that eXtreme Gammon counts."


def worst(found: Sequence[Finding], names: tuple[str, str]) -> Iterator[str]:
    """The decisions that have cost most, and what was better; game and turn are those of a replay."""
    if not found:
        yield "no decision has cost anything"
        return
    yield f"{'lost':>6}  game turn  {'who':{_SHORT}}  roll  {'what was done':{_PLAY}}  better"
    for one in found:
        yield _line(one, names)


def deeper_text(look: DeeperLook) -> str:
    """The choices of a deeper look, the best first, each with its equity and the error of that; and the judge."""
    found = [
        f"{choice} {equity:+.3f}" + ("" if error is None else f" (within {error:.3f})")
        for choice, equity, error in look.choices
    ]
    return f"{'; '.join(found)}: {look.by}"


def position_lines(match: Match, plays: Sequence[tuple[str, float]], cube: tuple[float, float] | None) -> Iterator[str]:
    """The best plays of a position with their equities; or of the cube both choices, and which is right."""
    if cube is None:
        yield f"{'equity':>7}  {'lost':>5}  play"
        for text, equity in plays[:WORST]:
            lost = plays[0][1] - equity
            yield f"{equity:+7.3f}  {f'{lost:.3f}' if lost else '':>5}  {text}"
        return
    waiting, taken = cube
    double, answer = double_finding(1, 1, 0, False, waiting, taken), take_finding(1, 1, 1, True, taken)
    yield from (f"{waiting:+7.3f}  no double", f"{taken:+7.3f}  double, take", f"{1:+7.3f}  double, drop")
    yield answer.best if match.phase is Phase.CUBE else f"{double.best}, {answer.best}"


def _line(one: Finding, names: tuple[str, str]) -> str:
    who = clean(names[one.seat])[:_SHORT]
    dice = dice_text(one.dice) if one.dice else "cube"
    done, best = clean(one.done), clean(one.best)
    return f"{one.loss:6.3f}  {one.game:4} {one.turn:4}  {who:{_SHORT}}  {dice:4}  {done:{_PLAY}}  {best}"


def _row(title: str, cells: list[str]) -> str:
    return f"{title:20}" + "".join(f"{cell[: _NAME + 8]:{_NAME + 10}}" for cell in cells).rstrip()


def _rating(tally: Tally) -> str:
    return "no decision" if tally.rating is None else f"{tally.rating:.2f}"


def _lost(tally: Tally) -> str:
    return f"{tally.loss:.3f} in {tally.decisions}"
