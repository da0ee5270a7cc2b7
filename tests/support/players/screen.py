"""Screen of a terminal after all that a full-screen program has written: as much of a VT100 as prompt_toolkit uses."""

import re

FULL_SCREEN = "\x1b[?1049h"
BACK = "\x1b[?1049l"
PART = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b.|([\x00-\x1f])|([^\x00-\x1f]+)", re.DOTALL)


def screen(written: str, rows: int, columns: int) -> list[str]:
    """The lines of the screen; none while no program fills it."""
    _, _, shown = written.rpartition(FULL_SCREEN)
    if FULL_SCREEN not in written or BACK in shown:
        return []
    cells = [[" "] * columns for _ in range(rows)]
    row = column = 0
    for numbers, command, control, text in PART.findall(shown):
        count = int(numbers) if numbers.isdecimal() else 1
        if text:
            cells[row][column : column + len(text)] = text
            del cells[row][columns:]
            column += len(text)
        elif control == "\n":
            row += 1
        elif control == "\r":
            column = 0
        elif control == "\b" or command == "D":
            column -= 1 if control else count
        elif command == "A":
            row -= count
        elif command == "B":
            row += count
        elif command == "C":
            column += count
        elif command == "H":
            row, column = (int(number) - 1 for number in numbers.split(";")) if ";" in numbers else (0, 0)
        elif command == "K":
            cells[row][column:] = [" "] * (columns - column)
        elif command == "J":
            cells[row][column:] = [" "] * (columns - column)
            cells[row + 1 :] = [[" "] * columns for _ in cells[row + 1 :]]
        row, column = max(0, min(rows - 1, row)), max(0, min(columns - 1 if not text else columns, column))
    return ["".join(line).rstrip() for line in cells]
