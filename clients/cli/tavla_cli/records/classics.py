"""Classic decisions, for who has no mistakes of their own yet. The page has the same ones."""

MONEY = ":0:0:0:0:10"  # behind each XGID: a money game without the Jacoby rule
_CLASSICS = {  # what is best there: GNU Backgammon at 2 plies and the house bot agree, the endings are exact
    "-b----E-C---eE---c-e----B-:0:0:1:31": "8/5 6/5",
    "-b----E-C---eE---c-e----B-:0:0:1:42": "8/4 6/4",
    "-b----E-C---eE---c-e----B-:0:0:1:61": "13/7 8/7",
    "-b----E-C---eE---c-e----B-:0:0:1:65": "24/13",
    "-b----E-C---dE---d-e----B-:0:0:1:55": "13/3(2)",
    "-b----E-C---dE---c-e-a--B-:0:0:1:66": "24/18(2) 13/7(2)",
    "aB-B-aC-A---dE-a-c-e----B-:0:0:1:00": "double",
    "bB-B--C-A---dE-a-c-e----B-:0:0:1:D": "drop",
    "-b----E-CB--cC---d-eA-a-A-:0:0:1:00": "no double",
    "-A--BA-------------aa---b-:0:0:1:21": "4/2 1/off",
    "-A--------------------aa--:0:0:-1:D": "take",
    "-A-------------------a--a-:0:0:-1:D": "drop",
}
CLASSICS = {f"XGID={position}{MONEY}": best for position, best in _CLASSICS.items()}
