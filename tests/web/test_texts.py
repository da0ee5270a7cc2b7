"""Texts of the page: all of them in the catalogue, in each language the same."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tavla_engine.errors import Reason
from tavla_protocol.codes import ErrorCode

from tests.support.browser.node import WEB, ask_modules

SRC = WEB / "src"
WORDS = re.compile(r"\b[A-Z][a-z]+\b|\b[a-z]+ [a-z]+|\b[a-z]{2,}[.?!…]$")  # what only something to be read has
# What browsers, the protocol and programs are told.
NO_TEXT = re.compile(
    r"(Arrow\w+|Enter|Escape|Home|End|Tab|Page(Up|Down)|English|Türkçe|offered (by|to) me|(button|quiet) \w+|\[.*)$"
)
BETWEEN = re.compile(r"[^=]>(?! (?:extends|implements) )([^<>{}()\[\];=|&?]+)(?=</|\{)")  # text of an element
NOT_SHOWN = re.compile(r"(class=\{?|class: |className = |Error\(|form\(\s*)(\w+ [=&|?]+ )?$")

pytestmark = pytest.mark.slow


def test_every_language_says_the_same_things() -> None:
    """The same keys, with as many parameters, of which each changes what is said; lists as long."""
    first, *others = ask_modules("texts", ["en", "tr"])
    assert len(first[0]) > 100
    for other in others:
        assert other == first


def test_every_parameter_of_a_sentence_is_said() -> None:
    for language in ("en", "tr"):
        (unsaid,) = ask_modules("unsaid", [language])
        assert unsaid == [], language


def test_one_of_a_kind_is_not_told_as_several() -> None:
    (told,) = ask_modules("ofOne", ["en"])
    several = re.compile(r"\b1 (rated )?(matches|points|players|games|rounds|decisions|minutes|hours|days)\b")
    assert [words for words in told if several.search(words)] == []


def test_refusals_are_translated_by_codes_that_there_are() -> None:
    (translated,) = ask_modules("refusals", ["tr"])
    known = {str(code) for code in ErrorCode} | {str(reason) for reason in Reason}
    assert set(translated) <= known


BAN = {"what": "ban", "reason": "is a program", "until": 1_790_000_000_000, "contact": "play@club.example"}
MUTE = {"what": "mute", "reason": "spam"}
SAID: list[tuple[str, dict[str, Any], str]] = [  # language, message, a pattern of what is said
    (
        "en",
        {"code": "banned", "sanction": BAN},
        r"You are banned until Sep 21, 2026, .*: is a program \(play@club.example\)",
    ),
    (
        "tr",
        {"code": "banned", "sanction": BAN},
        r"21 Eyl 2026 .* tarihine kadar giremezsiniz: is a program \(play@.*\)",
    ),
    ("en", {"sanction": MUTE}, r"You may not talk any more: spam \(ask whoever runs this server\)"),
    ("tr", {"sanction": MUTE}, r"Süresiz olarak sohbete yazamazsınız: spam \(sunucuyu işletene sorun\)"),
    ("tr", {"code": "stale"}, "Maç bu arada ilerledi. Yeniden bakın."),
    ("tr", {"code": "banned"}, "in English"),
    ("tr", {"sanction": None}, "in English"),
]


@pytest.mark.parametrize(("language", "message", "said"), SAID)
def test_what_the_server_says_is_said_in_ones_own_language_where_it_can_be(
    language: str, message: dict[str, Any], said: str
) -> None:
    (answer,) = ask_modules("said", [{"language": language, "message": {"text": "in English", **message}}])
    assert re.fullmatch(said, answer), answer


LANGUAGES: list[tuple[str, list[str], str]] = [  # one's own choice, the browser's, what is spoken
    ("auto", ["tr-TR", "en"], "tr"),
    ("auto", ["de", "tr"], "tr"),
    ("auto", ["TR"], "tr"),
    ("auto", ["de-AT"], "en"),
    ("auto", [], "en"),
    ("auto", ["constructor"], "en"),
    ("tr", ["en"], "tr"),
    ("en", ["tr"], "en"),
    ("xx", ["tr"], "tr"),
]


@pytest.mark.parametrize(("wanted", "browsers", "spoken"), LANGUAGES)
def test_the_language_is_ones_own_choice_or_the_browsers(wanted: str, browsers: list[str], spoken: str) -> None:
    assert ask_modules("language", [{"wanted": wanted, "browsers": browsers}]) == [spoken]


def literals(code: str) -> Iterator[tuple[int, str]]:
    """Literals of a module, with where each begins; what a template puts in is looked at by itself."""
    ends, said, starts, at = (
        [""],
        [""],
        [0],
        0,
    )  # ends: the quotes and braces that close what is open, the innermost last
    while at < len(code):
        letter, end = code[at], ends[-1]
        if end in ('"', "`"):
            if letter == end:
                yield starts.pop(), said.pop()
                ends.pop()
            elif end == "`" and code.startswith("${", at):
                ends.append("}")
                said[-1] += " "
                at += 1
            else:
                said[-1] += letter
        elif letter in ('"', "`"):
            starts.append(at)
            ends.append(letter)
            said.append("")
        elif code.startswith(("//", "/*"), at):
            at = code.index("\n" if code[at + 1] == "/" else "*/", at)
        elif letter == "{":
            ends.append("}")
        elif letter == "}" and end == "}":
            ends.pop()
        at += 1


def stray(source: str) -> list[str]:
    """The literals of a module that look like something to be read."""
    return [
        said
        for start, said in literals(source)
        if WORDS.search(said) and not NO_TEXT.match(said) and not NOT_SHOWN.search(source[max(0, start - 60) : start])
    ] + [text for text in BETWEEN.findall(source) if WORDS.search(text)]


FILES = ("files", "foreign", "xg", "bgf", "mat", "sgf", "ogxm", "sheet")  # of other programs: in any language the same
FOR_PROGRAMS = {
    "core/model/mat.ts",
    *(f"features/review/model/{name}.ts" for name in FILES),
}
MODULES = {str(path.relative_to(SRC)) for path in SRC.rglob("*.ts*") if "texts" not in path.parts} - FOR_PROGRAMS


def test_no_text_stands_outside_the_catalogue() -> None:
    found = {module: stray((SRC / module).read_text("utf-8")) for module in MODULES}
    assert {module: texts for module, texts in found.items() if texts} == {}


STRAY = [
    "<p>You win</p>",
    '<p title="You win" />',
    "say(`${name} has won`)",
    'title: "Offline"',
    'const a = "no move.";',
]


@pytest.mark.parametrize("line", STRAY)
def test_what_would_be_text_is_found(line: str) -> None:
    assert len(stray(line)) == 1
