"""The signs of a picture as strokes: what draws it needs no fonts, and it looks the same everywhere."""

STROKES = {  # in a box of 4 by 6
    "0": "M2 0Q0 0 0 2V4Q0 6 2 6Q4 6 4 4V2Q4 0 2 0Z",
    "1": "M.8 1.2L2.4 0V6",
    "2": "M.1 1.6Q.2 0 2 0Q4 0 4 1.7Q4 2.8 2.6 3.8L0 6H4",
    "3": "M.1 1Q.6 0 2 0Q3.8 0 3.8 1.5Q3.8 2.8 2 2.8Q4 2.8 4 4.4Q4 6 2 6Q.4 6 0 4.8",
    "4": "M3 6V0L0 4.2H4",
    "5": "M3.7 0H.5L.3 2.6Q1 2.1 2 2.1Q4 2.1 4 4Q4 6 1.9 6Q.5 6 0 4.9",
    "6": "M3.5 .6Q2.9 0 2.1 0Q0 0 0 3.6Q0 6 2 6Q4 6 4 4.1Q4 2.3 2.1 2.3Q.5 2.3 0 3.7",
    "7": "M0 0H4L1.6 6",
    "8": "M2 2.7Q.2 2.7 .2 1.4Q.2 0 2 0Q3.8 0 3.8 1.4Q3.8 2.7 2 2.7Q0 2.7 0 4.3Q0 6 2 6Q4 6 4 4.3Q4 2.7 2 2.7Z",
    "9": "M.5 5.4Q1.1 6 1.9 6Q4 6 4 2.4Q4 0 2 0Q0 0 0 1.9Q0 3.7 1.9 3.7Q3.5 3.7 4 2.3",
    "/": "M.6 6L3.4 0",
    "A": "M0 6L2 0L4 6M.7 4H3.3",
    "B": "M0 0V6H2.3Q4 6 4 4.4Q4 2.9 2.3 2.9H0M2.1 2.9Q3.7 2.9 3.7 1.4Q3.7 0 2.1 0H0",
    "C": "M4 1.2Q3.4 0 2.1 0Q0 0 0 3Q0 6 2.1 6Q3.4 6 4 4.8",
    "D": "M0 0V6H1.6Q4 6 4 3Q4 0 1.6 0Z",
    "E": "M4 0H0V6H4M0 3H3",
    "F": "M4 0H0V6M0 3H3",
    "G": "M4 1.2Q3.4 0 2.1 0Q0 0 0 3Q0 6 2.1 6Q4 6 4 3.4H2.4",
    "H": "M0 0V6M4 0V6M0 3H4",
    "I": "M2 0V6M1 0H3M1 6H3",
    "J": "M3.6 0V4.2Q3.6 6 1.9 6Q.4 6 .2 4.6",
    "K": "M0 0V6M4 0L0 3.6M1.3 2.6L4 6",
    "L": "M0 0V6H4",
    "M": "M0 6V0L2 3.4L4 0V6",
    "N": "M0 6V0L4 6V0",
    "O": "M2 0Q0 0 0 3Q0 6 2 6Q4 6 4 3Q4 0 2 0Z",
    "P": "M0 6V0H2.3Q4 0 4 1.7Q4 3.4 2.3 3.4H0",
    "Q": "M2 0Q0 0 0 3Q0 6 2 6Q4 6 4 3Q4 0 2 0ZM2.4 4.2L4 6.3",
    "R": "M0 6V0H2.3Q4 0 4 1.7Q4 3.4 2.3 3.4H0M2.2 3.4L4 6",
    "S": "M3.8 1Q3.3 0 2 0Q.2 0 .2 1.5Q.2 2.7 2 3Q4 3.3 4 4.5Q4 6 2 6Q.5 6 0 4.9",
    "T": "M0 0H4M2 0V6",
    "U": "M0 0V4Q0 6 2 6Q4 6 4 4V0",
    "V": "M0 0L2 6L4 0",
    "W": "M0 0L1 6L2 2.2L3 6L4 0",
    "X": "M0 0L4 6M4 0L0 6",
    "Y": "M0 0L2 3L4 0M2 3V6",
    "Z": "M0 0H4L0 6H4",
    "-": "M.8 3H3.2",
    "_": "M0 6.6H4",
}


def signs(text: str, x: float, y: float, height: float, colour: str) -> str:
    """Digits and capitals, with their middle at a place."""
    scale = height / 6
    start = x - (len(text) * 5.6 - 1.6) * scale / 2
    strokes = "".join(
        f'<path transform="translate({index * 5.6:g} 0)" d="{STROKES[sign]}"/>'
        for index, sign in enumerate(text.upper())
    )
    return (
        f'<g transform="translate({start:.1f} {y - height / 2:.1f}) scale({scale:.2f})" fill="none" stroke="{colour}"'
        f' stroke-width=".9" stroke-linecap="round" stroke-linejoin="round">{strokes}</g>'
    )
