"""Allowances for repeated actions, by a clock that the test moves."""

import pytest
from tavla_server import token_bucket
from tavla_server.token_bucket import Rate, Rates, TokenBucket

SPENT = [  # when, by whom, how long to wait, why this row is here
    (0.0, "ada", 0.0, "two at once"),
    (0.0, "ada", 0.0, "the second"),
    (0.0, "ada", 2.0, "and no third"),
    (0.0, "bob", 0.0, "everyone has an allowance of their own"),
    (1.0, "ada", 1.0, "who was refused has spent nothing"),
    (2.0, "ada", 0.0, "it has come back"),
    (100.0, "ada", 0.0, "all of it has"),
    (100.0, "ada", 0.0, "and no more"),
    (100.0, "ada", 2.0, "than at first"),
]


def test_an_allowance_is_spent_and_comes_back() -> None:
    now = 0.0
    rate, rates = Rate(0.5, 2.0), Rates(now=lambda: now)
    for now, who, wait_s, why in SPENT:  # noqa: B007 - the time is read there
        assert rates.spend(rate, who) == wait_s, why


def test_who_spent_before_so_many_others_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_bucket, "REMEMBERED", 2)
    rate, rates = Rate(0.5, 1.0), Rates(now=lambda: 0.0)
    for who, wait_s in (("ada", 0.0), ("bob", 0.0), ("ada", 2.0), ("cy", 0.0), ("ada", 2.0), ("bob", 0.0)):
        assert rates.spend(rate, who) == wait_s, who


def test_whose_allowance_is_full_again_is_forgotten() -> None:
    now = 0.0
    rate, rates = Rate(0.5, 2.0), Rates(now=lambda: now)
    spent = ((0.0, "ada", 1), (1.0, "bob", 2), (2.0, "cy", 2), (2.0, "cy", 2), (4.0, "dan", 2))
    for now, who, remembered in spent:  # noqa: B007 - the time is read there
        rates.spend(rate, who)
        assert len(rates) == remembered, who


def test_what_is_done_late_comes_when_it_would_have_been_allowed() -> None:
    polite, hasty = TokenBucket(Rate(0.5, 2.0)), TokenBucket(Rate(0.5, 2.0))
    due_s, now_s = [], 0.0
    for _ in range(5):
        while wait_s := polite.spend(now_s):
            now_s += wait_s
        due_s.append(now_s)
    now_s, done_s = 0.0, []
    for _ in range(5):
        wait_s = hasty.wait_s(now_s)
        hasty.owe(now_s)
        now_s += wait_s
        done_s.append(now_s)
    assert due_s == done_s == [0.0, 0.0, 2.0, 4.0, 6.0]


def test_no_more_is_owed_than_what_can_be_had() -> None:
    bucket = TokenBucket(Rate(0.5, 2.0))
    bucket.owe(0.0, 1000)
    assert bucket.wait_s(0.0) == 6.0
    assert bucket.wait_s(6.0) == 0.0


def test_what_is_charged_is_owed_and_the_wait_grows_with_the_debt() -> None:
    bucket = TokenBucket(Rate(2.0, 10.0))
    assert [bucket.charge(0.0, 4.0) for _ in range(4)] == [0.0, 0.0, 1.0, 3.0]
    assert bucket.charge(3.0, 1.0) == 0.5
    assert bucket.charge(100.0, 10.0) == 0.0, "all has come back"
