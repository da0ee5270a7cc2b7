"""Coalescing of commands that can wait: at once in calm, in a rush at the same moments for all connections."""

from tavla_server.store.coalescing_window import WINDOW_S, CoalescingWindow

NOW_S = 1000.01


def window(sent: int) -> CoalescingWindow:
    """The window of a connection that has sent so many commands."""
    made = CoalescingWindow()
    made.sent = sent
    return made


def test_in_calm_a_group_is_due_at_once() -> None:
    assert window(1).next_s(NOW_S) == NOW_S


def test_in_a_rush_all_connections_wait_for_the_same_moment_which_is_near() -> None:
    one, other = window(1000), window(2000)
    moments = {one.next_s(NOW_S), other.next_s(NOW_S + 0.001)}
    assert len(moments) == 1
    assert NOW_S < moments.pop() <= NOW_S + WINDOW_S
    assert one.next_s(NOW_S + 60) == NOW_S + 60, "the rush is over"
