"""Accounts: a name that is kept by a password."""

from tavla_protocol.messages.values import NewPassword, OldPassword, PlayerName, RequestBase


class Register(RequestBase, frozen=True, kw_only=True):
    """Turn the guest that you are into an account, with the same name, id and matches."""

    password: NewPassword


class Rename(RequestBase, frozen=True, kw_only=True):
    """Be called otherwise, as the guest that you are, with the same id, matches and places in tournaments. Answer: ok.

    Matches and tables keep the name with which you sat down.
    """

    name: PlayerName


class Password(RequestBase, frozen=True, kw_only=True):
    """Change your account's password. All its tokens but this connection's are revoked."""

    old: OldPassword
    new: NewPassword


class Logout(RequestBase, frozen=True, kw_only=True):
    """Revoke this connection's token, or all of yours; a guest is forgotten. Connections that used one are closed."""

    everywhere: bool = False


class CloseAccount(RequestBase, frozen=True, kw_only=True, tag="close_account"):
    """Close your account for good: rating, results and tokens go, and in others' matches you become `someone`."""

    password: OldPassword
