"""Words of the code: names and docstrings that are read alone, in a pop-up of an editor."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.support.packages import PACKAGES, sources, statements

# A docstring begins with a noun or a verb, not with what stands for one.
PRONOUNS = """
What Who Whom Whose Whoever Whatever Which Whichever How When Where If As So One Ones Such None It Its They He Them
Those That This These There Here
"""

# Messages and events are classes of the schema: their names are the wire's, their docstrings its sentences.
SCHEMA = (
    "tavla_engine/actions.py",
    "tavla_engine/events.py",
    "tavla_protocol/messages",
    "tavla_server/record/events.py",
    "tavla_server/features/sanctions/orders.py",
    "tavla_server/features/tournaments/events.py",
    "tavla_server/match/wire.py",
)

IRREGULAR = """
begun borne bought bound broken brought built caught chosen dealt done drawn driven eaten fallen found gone given held
heard hidden kept known laid led lent lost made meant met paid proven said seen sent shown sold spent spoken stood
taken taught thought thrown told understood woken won written
"""
NO_PARTICIPLES = "embed feed hundred need proceed seed speed unsigned"  # they end like one
VERBS = ("check_", "count_", "is_", "has_", "mark_", "note_", "on_", "run_", "was_")  # the name says what it does

# Participles as names, each with its reason. This table gets shorter, not longer.
PARTICIPLES = {
    "connection_made": "asyncio's name",
    "connection_lost": "asyncio's name",
    "data_received": "asyncio's name",
    "wait_closed": "asyncio's name",
    "AnalysisStopped": "an error is named for what has happened",
    "ConnectionFailed": "an error is named for what has happened",
    "PlayStopped": "an error is named for what has happened",
    "ArchiveDamaged": "an error is named for what has happened",
    "JudgeFailed": "an error is named for what has happened",
    "PairingFailed": "an error is named for what has happened",
    "Refused": "an error is named for what has happened",
    "StoreRefused": "an error is named for what has happened",
    "closed": "the hook of a feature: its connection has closed",
    "packed": "a field of a command: its bytes on the wire",
}


class Definition(NamedTuple):
    """A definition of a class or function that other modules may use; the class around it, if it is a method."""

    where: str
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    owner: str


def definitions(package: str) -> Iterator[Definition]:
    """The public classes of a package, their public methods, and its public functions."""
    for file, module in sources(package):
        where = file.as_posix()
        for node in module.body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if node.name.startswith("_"):
                continue
            yield Definition(where, node, "")
            for method in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and not method.name.startswith("_"):
                    yield Definition(where, method, node.name)


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def is_participle(word: str) -> bool:
    """True for `told`, `judged` and the like."""
    return word in IRREGULAR.split() or (word.endswith("ed") and len(word) > 3 and word not in NO_PARTICIPLES.split())


def stem(noun: str) -> str:
    """The part of a noun that singular and plural share."""
    return re.sub(r"(ies|es|s|y|ed)$", "", noun) if len(noun) > 4 else noun


@pytest.mark.parametrize("package", PACKAGES)
def test_a_public_class_has_a_name_of_its_own_in_its_package(package: str) -> None:
    places: dict[str, list[str]] = {}
    for where, node, owner in definitions(package):
        if isinstance(node, ast.ClassDef) and not owner:
            places.setdefault(node.name, []).append(where)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_docstring_of_a_class_has_the_noun_of_the_class(package: str) -> None:
    lacking = {}
    for where, node, _ in definitions(package):
        if not isinstance(node, ast.ClassDef) or where.startswith(SCHEMA):
            continue
        noun = words_of(node.name)[-1]
        text = re.sub(r"\W", "", ast.get_docstring(node) or "").lower()
        if not is_participle(noun) and stem(noun) not in text:
            lacking[f"{where} {node.name}"] = ast.get_docstring(node)
    assert lacking == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_docstring_begins_with_a_noun_or_a_verb(package: str) -> None:
    begun = {}
    for where, module in sources(package):
        for node in (module, *statements(module.body)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node) or ""
                if text and re.split(r"\W", text, maxsplit=1)[0] in PRONOUNS.split():
                    begun[f"{where} {getattr(node, 'name', '')}"] = text.splitlines()[0]
    assert begun == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_a_participle_without_a_reason(package: str) -> None:
    found = set()
    for where, node, owner in definitions(package):
        is_answer = (
            not isinstance(node, ast.ClassDef) and node.returns is not None and ast.unparse(node.returns) == "bool"
        )
        if is_answer or where.startswith(SCHEMA) or node.name.startswith(VERBS) or node.name in PARTICIPLES:
            continue
        if is_participle(words_of(node.name)[-1]):
            found.add(f"{where} {owner}.{node.name}")
    assert sorted(found) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_module_is_named_for_its_noun(package: str) -> None:
    assert [where.as_posix() for where, _ in sources(package) if is_participle(words_of(where.stem)[-1])] == []


def test_each_participle_with_a_reason_is_a_name() -> None:
    names = {node.name for package in PACKAGES for _, node, _ in definitions(package)}
    assert sorted(PARTICIPLES.keys() - names) == []
