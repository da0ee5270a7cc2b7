"""Screen of a terminal: as much of a VT100 as prompt_toolkit and rich use."""

import re

ALTERNATE = "?1049"  # h: a program fills the screen; l: what was there before comes back
PART = re.compile(
    r"\x1b\[(\??[0-9;]*)[^A-Za-z@]*([A-Za-z@])|\x1b\][^\x07]*\x07|\x1b[()]?[^\[\]()]|([\x00-\x1f])|([^\x00-\x1f]+)",
    re.DOTALL,
)

Row = list[str]


class Screen:
    """Cells of a terminal."""

    def __init__(self, rows: int, columns: int) -> None:
        self.full = False  # a program fills it
        self._written: list[tuple[Row, int]] = []
        self._columns, self._row, self._column = columns, 0, 0
        self._cells = [self._blank() for _ in range(rows)]
        self._before = self._cells, 0, 0

    @property
    def lines(self) -> list[str]:
        """What it shows."""
        return ["".join(row).rstrip() for row in self._cells]

    def resize(self, rows: int, columns: int) -> None:
        """Cut cells off, or add some."""
        self._columns = columns
        self._cells = [(row + self._blank())[:columns] for row in self._cells[:rows]]
        self._cells += [self._blank() for _ in range(rows - len(self._cells))]
        self._move(0, 0)

    def feed(self, text: str) -> list[tuple[str, int]]:
        """Show what a program writes, of which no sequence is cut in two.

        Returns: the lines in which letters were written, and the column of the first of them.
        """
        self._written = []
        for numbers, command, control, letters in PART.findall(text):
            if letters:
                self._write(letters)
            elif control:
                self._control(control)
            elif numbers == ALTERNATE:
                self._switch(full=command == "h")
            elif not numbers.startswith("?"):
                self._command(command, [int(number) if number else 0 for number in numbers.split(";")])
        return [("".join(row).rstrip(), column) for row, column in self._written]

    def _blank(self) -> Row:
        return [" "] * self._columns

    def _move(self, rows: int, columns: int) -> None:
        self._row = max(0, min(len(self._cells) - 1, self._row + rows))
        self._column = max(0, min(self._columns - 1, self._column + columns))

    def _write(self, letters: str) -> None:
        while letters:
            if self._column == self._columns:
                self._control("\r")
                self._control("\n")
            here, letters = letters[: self._columns - self._column], letters[self._columns - self._column :]
            row = self._cells[self._row]
            row[self._column : self._column + len(here)] = here
            self._written.append((row, self._column))
            self._column += len(here)  # behind the last column, until more comes

    def _control(self, control: str) -> None:
        if control == "\n" and self._row == len(self._cells) - 1:
            self._cells = [*self._cells[1:], self._blank()]
        elif control == "\n":
            self._row += 1
        elif control == "\r":
            self._column = 0
        elif control == "\b":
            self._move(0, -1)

    def _switch(self, full: bool) -> None:
        if full and not self.full:
            self._before = self._cells, self._row, self._column
            self._cells, self._row, self._column = [self._blank() for _ in self._cells], 0, 0
        elif self.full and not full:
            rows = len(self._cells)
            self._cells, self._row, self._column = self._before
            self.resize(rows, self._columns)
        self.full = full

    def _command(self, command: str, numbers: list[int]) -> None:
        count = numbers[0] or 1
        if command in "AB":
            self._move(-count if command == "A" else count, 0)
        elif command in "CD":
            self._move(0, -count if command == "D" else count)
        elif command == "H":
            self._row = self._column = 0
            self._move(*(number - 1 for number in numbers) if len(numbers) == 2 else (0, 0))
        elif command in "KJ":
            self._cells[self._row][self._column :] = [" "] * (self._columns - self._column)
            below = self._row + 1 if numbers[0] == 0 else 0
            if command == "J":
                self._cells[below:] = [self._blank() for _ in self._cells[below:]]
            elif numbers[0] == 2:
                self._cells[self._row][:] = self._blank()
