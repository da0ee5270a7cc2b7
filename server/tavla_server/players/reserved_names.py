"""Names that are not for everyone."""

HOUSE = ("admin", "moderator", "server", "system", "tavla")  # would pass for those who run the place
GUEST = "guest"  # what clients call people who gave no name: nobody may have it for good
NOBODY = "someone"  # stands in a match for a player whose account was closed
BOT = ("bot-", "bot_")  # a program that says what it is; nobody else may look like one


def why_reserved(name: str, bot: bool, account: bool) -> str | None:
    """Why someone may not be called so; None if it is free to all."""
    lower = name.lower()
    if lower.startswith(HOUSE):
        return "this name would pass for those who run the server: choose another"
    if lower == NOBODY:
        return f"{NOBODY} stands for those who have gone: choose another name"
    if lower.startswith(BOT) and not bot:
        return f"names with {lower[: len(BOT[0])]} in front are for programs: choose another"
    if account and lower.startswith(GUEST):
        return f"names with {GUEST} in front stay with guests: come as a guest of another name, and register that"
    return None
