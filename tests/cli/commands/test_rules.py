"""`tavla rules`: in one piece where it is not read at a terminal."""

import pytest
from click.testing import CliRunner
from tavla_cli.commands.rules import rules
from tavla_cli.text import rulebook


@pytest.mark.parametrize("name", [None, "backgammon", "portes"])
def test_the_rules_are_printed(name: str | None) -> None:
    said = CliRunner().invoke(rules, [name] if name else [], env={"COLUMNS": "80"})
    pages = {None: rulebook.overview(78), "backgammon": rulebook.backgammon(78)}
    assert said.output.splitlines() == (pages[name] if name in pages else rulebook.of_preset(str(name), 78))
