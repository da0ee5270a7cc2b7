"""Settings that the user has switched on and off are there again at the next start."""

from pathlib import Path

from tavla_cli.settings import FILE, SettingsFile
from tavla_cli.text.settings import NAMES, TEXTS, THROUGH_A_PIPE, Settings, setting_lines


def test_a_switch_is_remembered(tmp_path: Path) -> None:
    SettingsFile(folder=tmp_path / "new").switch("confirm", on=True)
    SettingsFile(folder=tmp_path / "new").switch("bell", on=False)
    assert SettingsFile(folder=tmp_path / "new").now == Settings(confirm=True, bell=False)


def test_a_file_that_cannot_be_read_is_as_none(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"bell": "loud"}', "\xff"):
        (tmp_path / FILE).write_text(text, "latin-1")
        assert SettingsFile(folder=tmp_path).now == Settings()
    (tmp_path / FILE).write_text('{"bell": false, "of a later version": 1}')
    assert SettingsFile(folder=tmp_path).now == Settings(bell=False)


def test_through_a_pipe_nothing_is_read_or_kept(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"confirm": true}')
    file = SettingsFile(kept=False, folder=tmp_path)
    assert file.now == THROUGH_A_PIPE
    file.switch("ask", on=True)
    assert file.now.ask
    assert (tmp_path / FILE).read_text() == '{"confirm": true}'


def test_every_setting_is_shown_with_what_it_does() -> None:
    assert Settings.__struct_fields__ == NAMES
    assert setting_lines(Settings())[0] == ("confirm off", TEXTS["confirm"])
