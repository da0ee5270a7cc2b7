"""The environments of one table: the two libraries' own tests, and every rule of the engine seen through them."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test.api_test import api_test
from pettingzoo.test.seed_test import seed_test
from tavla_engine.match import Phase
from tavla_engine.plays import legal_plays
from tavla_engine.rules import PRESETS
from tavla_engine.xgid import parse_xgid
from tavla_gym import BackgammonAEC, BackgammonEnv, Choice, Observation, any_action
from tavla_gym.observation import Info
from tavla_gym.table import Actions

ACTIONS: list[Actions] = ["turns", "moves"]
both = pytest.mark.parametrize("actions", ACTIONS)


def played(env: BackgammonAEC, rng: np.random.Generator, without: tuple[Choice, ...] = ()) -> list[Observation]:
    """A match at random to its end; what was seen before each action."""
    seen = []
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        assert observation is not None
        if not over:
            seen.append(observation)
            mask = info["action_mask"].copy()
            mask[list(without)] = 0
            assert env.observation_space(agent).contains(observation)
        env.step(None if over else int(rng.choice(np.flatnonzero(mask))))
    return seen


def begun_by(seat: int, seed: int) -> bool:
    """True if this seat opens the match of a seed."""
    env = BackgammonEnv(seat=seat)
    env.reset(seed=seed)
    return not env.table.match.last


@both
@pytest.mark.parametrize("preset", PRESETS)
def test_it_passes_the_tests_of_pettingzoo(preset: str, actions: Actions) -> None:
    api_test(BackgammonAEC(preset, actions=actions), num_cycles=100)  # type: ignore[no-untyped-call]
    seed_test(lambda: BackgammonAEC(preset, actions=actions), num_cycles=100)  # type: ignore[no-untyped-call]


@both
def test_it_passes_the_tests_of_gymnasium(actions: Actions) -> None:
    check_env(gymnasium.make("tavla/Backgammon-v0", actions=actions, render_mode="ansi").unwrapped)


@both
@pytest.mark.parametrize("preset", PRESETS)
def test_whole_matches_end_with_the_engine_s_score(preset: str, actions: Actions) -> None:
    env, rng = BackgammonAEC(preset, actions=actions), np.random.default_rng(1)
    env.reset(seed=1)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    step = env.step

    def counted(action: Any) -> None:
        step(action)
        for agent, reward in env.rewards.items():
            rewards[agent] += reward

    env.step = counted  # type: ignore[method-assign]
    seen = played(env, rng, (Choice.DROP, Choice.DOUBLE) if preset == "tavla" else ())
    match = env.table.match
    score, length = match.score, match.rules.length
    won = (score[0] - score[1]) if not length else (1 if score[0] >= length else -1)
    assert list(rewards.values()) == [won, -won]
    assert all(line[65] for line in seen)
    assert {bool(line[63]) for line in seen} <= {False, match.rules.crawford}


@both
def test_crawford_is_told_and_has_no_double(actions: Actions) -> None:
    env = BackgammonAEC("tournament", {"length": 2, "cube": True}, actions)
    crawford = []
    for seed in range(5):
        env.reset(seed=seed)
        crawford += [line for line in played(env, np.random.default_rng(seed), (Choice.TAKE,)) if line[63]]
    assert crawford
    assert {min(line[61], line[62]) for line in crawford} == {1}
    assert {line[58] for line in crawford} == {2}  # plays alone


@both
def test_the_cube_is_offered_taken_and_turned(actions: Actions) -> None:
    env = BackgammonAEC("money", {"jacoby": False}, actions)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while env.table.match.phase is not Phase.ROLL:
        env.step(any_action(env.observe("player_0"), env.infos[env.agent_selection], rng))
    doubler = env.agent_selection
    assert np.flatnonzero(env.infos[doubler]["action_mask"]).tolist() == [Choice.ROLL, Choice.DOUBLE]
    env.step(Choice.DOUBLE)
    taker = env.agent_selection
    assert taker != doubler
    assert np.flatnonzero(env.infos[taker]["action_mask"]).tolist() == [Choice.TAKE, Choice.DROP, Choice.BEAVER]
    assert env.observe(taker)[[58, 59, 60, 64]].tolist() == [1, 0, 0, 0]
    env.step(Choice.BEAVER)
    assert env.observe(doubler)[[58, 59, 60, 64]].tolist() == [1, 1, 0, 1]
    env.step(Choice.TAKE)
    assert [env.observe(agent)[59:61].tolist() for agent in (taker, doubler)] == [[2, 1], [2, -1]]


@pytest.mark.slow
def test_single_moves_end_where_whole_turns_do() -> None:
    """All ways to play a roll move by move: they lead to the engine's plays, and to each of them."""
    rng = np.random.default_rng(5)
    for preset in ("money", "tavla"):
        env = BackgammonAEC(preset, {"cube": False}, "moves")
        env.reset(seed=5)
        for _ in range(60):
            table, ends, waiting = env.table, set(), list[tuple[int, ...]]([()])
            match, seat = table.match, table.seat
            expected = set(legal_plays(match.position, match.dice, table.rules.hit_and_run))  # type: ignore[arg-type]
            if len(expected) < 40:
                while waiting:
                    way = waiting.pop()
                    table._go_on(match)
                    for number in way:
                        table.choose(number)
                    if table.match is match:
                        waiting += [(*way, number) for number in table.options]
                    else:
                        board = table.match.board if table.match.game == match.game else None
                        ends.add(board and (board[seat], board[1 - seat]))
                assert {end for end in ends if end} <= expected
                assert len(ends) == len(expected)
            table._go_on(match)
            while table.match is match:
                table.choose(int(rng.choice(list(table.options))))
            if table.over:
                env.reset()


def test_what_is_seen_at_the_start() -> None:
    env = BackgammonEnv("tournament", {"length": 5}, seat=1)
    observation, info = env.reset(seed=next(seed for seed in range(20) if begun_by(1, seed)))
    match = env.table.match
    assert match.dice is not None
    assert bytes(observation[:52].astype(np.uint8)) == match.board[1] + match.board[0]
    assert observation[52:58].tolist() == [match.dice.count(die) for die in range(1, 7)]
    assert observation[58:].tolist() == [2, 0, 0, 5, 5, 0, 0, 1]
    plays = legal_plays(match.position, match.dice)
    assert info["plays"] == tuple(plays.values())
    assert [bytes(board) for board in info["after"]] == [theirs + mine for mine, theirs in plays]
    assert np.flatnonzero(info["action_mask"]).tolist() == [Choice.PLAY + number for number in range(len(plays))]
    assert parse_xgid(env.render()).board == match.board


def test_an_action_outside_the_mask_forfeits() -> None:
    for preset, lost in (("tournament", -1), ("money", -3)):
        env = BackgammonEnv(preset)
        env.reset(seed=1)
        _, reward, over, _, info = env.step(Choice.TAKE)
        assert (reward, over, info["ending"]) == (lost, True, "forfeit")
        with pytest.raises(ValueError, match="reset the environment"):
            env.step(Choice.ROLL)


def test_an_opponent_is_given_its_own_view_and_held_to_it() -> None:
    seen: list[Observation] = []

    def careful(observation: Observation, info: Info, rng: np.random.Generator) -> int:
        seen.append(observation)
        return any_action(observation, info, rng)

    env = BackgammonEnv(changes={"cube": False}, opponent=careful, seat=0)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        observation, reward, over, _, info = env.step(any_action(np.empty(0, np.int8), info or {}, env.np_random))
    assert abs(reward) in (1, 2, 3)
    assert not observation[65]
    assert all(line[65] for line in seen)
    stubborn = BackgammonEnv(opponent=lambda _observation, _info, _rng: Choice.TAKE, seat=1)
    begins = next(seed for seed in range(20) if begun_by(0, seed))
    with pytest.raises(ValueError, match=r"the opponent chose action 2: its mask allows"):
        stubborn.reset(seed=begins)


def test_a_seat_is_given_or_drawn() -> None:
    env = BackgammonEnv()
    drawn = set()
    for seed in range(8):
        env.reset(seed=seed)
        drawn.add(env.seat)
    assert drawn == {0, 1}
    env.reset(seed=1, options={"seat": 1})
    assert env.seat == 1


def test_the_same_seed_is_the_same_match() -> None:
    ends = []
    for _ in range(2):
        env = BackgammonEnv("tournament", {"length": 3})
        observation, info = env.reset(seed=7)
        over, total = False, 0
        while not over:
            observation, _, over, _, info = env.step(any_action(observation, info, env.np_random))
            total += 1
        ends.append((total, env.table.match))
    assert ends[0] == ends[1]
    assert ends[0][1].phase is Phase.OVER
