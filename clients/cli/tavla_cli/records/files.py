"""Records as files: `.mat`, `.sgf` and `.ogxm` for other programs, `.json` with all that there is."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path
from typing import Any

import click
import msgspec
from tavla_engine.analysis import mark
from tavla_engine.claim import agreed_text
from tavla_engine.errors import BadText
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.ogxm import export_ogxm
from tavla_engine.proof import REMARKS, proof_of, remarks_of_proof
from tavla_engine.server_events import read_server_events
from tavla_engine.sgf import export_sgf, import_sgf, sgf_facts
from tavla_protocol import messages as m
from tavla_protocol.file_match import FileMatch, told_events, unpack
from tavla_protocol.view import FIELDS

from tavla_cli.records.foreign import Reading, foreign_name, read_foreign
from tavla_cli.records.formats import name_of, text_of
from tavla_cli.records.marks import judged_by, judgement, marks_of, remarks_of, verdicts_in
from tavla_cli.records.record import Record, of_file, of_server, plain_rules
from tavla_cli.text.cleaning import clean
from tavla_cli.text.story import result

FORMAT = "tavla-match-1"
MAX_BYTES = 20_000_000  # of a file that is read; the longest match that was ever played takes a tenth


class BadFile(click.ClickException):
    """A file that cannot be read or written. str(error) says why, and what to do."""


def sound(record: Record) -> Record:
    """A record that follows from its seeds and the rules. Raises: BadFile for any other: nothing is made of it."""
    if record.faults:
        more = f", and {len(record.faults) - 1} more" if len(record.faults) > 1 else ""
        raise BadFile(f"this match is not sound: {clean(record.faults[0])}{more}; tavla verify tells all")
    return record


def as_mat(record: Record) -> str:
    """A record as `.mat`, the format that every backgammon program reads. Raises: BadFile for one that is not sound."""
    day = _day(sound(record)).replace("-", ".")
    tags = _tags(record) | _said({"EventDate": day})
    return export_mat(_names(record), record.start, record.events, tags, remarks_of(record))


def as_sgf(record: Record) -> str:
    """A record as GNU Backgammon saves its own matches.

    Raises: BadFile for one that is not sound, or a variant that SGF does not know.
    """
    sound(record)
    remark = ". ".join(filter(None, (f"Match {clean(record.id)}" if record.id else "", _result(record))))
    facts = {"DT": _day(record), "PC": "Tavla" if record.id else "", "GC": remark}
    known = _tags(record)
    tags = {**sgf_facts(known), **_said(facts)}
    told = {name: known[name] for name in ("Judgement", *REMARKS) if name in known}
    try:
        return export_sgf(_names(record), record.start, record.events, tags, _remarks(record), told)
    except ValueError as error:
        raise BadFile(f"{error}: a .mat or .json file can tell it") from None


def as_ogxm(record: Record) -> bytes:
    """A record as OpenGammon and HedgeHog read it. Raises: BadFile, for what the format cannot tell."""
    started_s = next(filter(None, sound(record).times), 0) // 1000
    try:
        return export_ogxm(
            _names(record), record.start, record.events, _tags(record), remarks_of(record), time_s=started_s
        )
    except BadText as error:
        raise BadFile(str(error)) from None


def as_json(record: Record) -> str:
    """All that a server has told of a match, and the proof of its dice when it is over; or all of another's file."""
    told = record.told
    if told is None:
        whole = {"format": FORMAT, "tags": {}, "verdicts": [], **msgspec.to_builtins(file_match_of(record))}
        return _lines_of(whole, whole.pop("events"))
    proof = proof_in(record) or {"match": told.match}
    view = {name: value for name, value in told.view.items() if name != "code"}  # for who may watch, and not in a file
    whole = {"format": FORMAT, **proof, "epoch": told.epoch, "seq": told.seq, "view": _plain(view)}
    if any(of for _, of in told.unrevealed):
        whole["unrevealed"] = told.unrevealed
    if told.analysis is not None:
        whole |= {"analysis": msgspec.to_builtins(told.analysis), "findings": told.findings}
    return _lines_of(whole, told.events)


def _lines_of(whole: dict[str, Any], events: Iterable[Any]) -> str:
    lines = [f'"{name}": {json.dumps(value)}' for name, value in whole.items()]
    lines.append('"events": [\n' + ",\n".join(json.dumps(_plain(event)) for event in events) + "\n]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def file_match_of(record: Record) -> FileMatch:
    """A record of another program, as it is handed on."""
    start = record.start
    return FileMatch(
        players=record.names,
        rules=plain_rules(start.rules),
        score=start.score,
        game=start.game,
        crawford_done=start.crawford_done,
        tags=dict(record.tags),
        verdicts=record.verdicts,
        events=told_events(record.events),
    )


def proof_in(record: Record) -> dict[str, Any] | None:
    """The proof of a match's dice; None as long as it goes on, or without a seed."""
    view = record.view
    if not view.seed or view.phase != "over":
        return None
    terms = agreed_text(read_server_events(record.told.events)) if record.told is not None else ""
    return proof_of(record.id, terms, view.commitment, view.commitments, view.seeds, view.seed, record.events)


WRITERS: dict[str, Callable[[Record], str | bytes]] = {
    ".mat": as_mat,
    ".sgf": as_sgf,
    ".ogxm": as_ogxm,
    ".json": as_json,
}


def read(file: Path) -> Record:
    """The record in a file, whatever its name says it is. Raises: BadFile."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise BadFile(f"{file} is too large for a match")
        data = file.read_bytes()
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error.strerror}") from None
    try:
        return parse(data)
    except BadText as error:
        raise BadFile(f"{file}: {clean(str(error))}") from None


def parse(content: str | bytes) -> Record:
    """The record of a file's content. Raises: BadText."""
    if isinstance(content, bytes) and foreign_name(content):
        return record_of_foreign(read_foreign(content))
    text = text_of(content) if isinstance(content, bytes) else content
    start = text.removeprefix("\ufeff").lstrip()[:2]
    if start.startswith("{"):
        return _of_json(text)
    try:
        record = of_file(import_sgf(text) if start.replace(" ", "").startswith("(") else import_mat(text))
        return record._replace(verdicts=tuple(verdicts_in(text.replace("\\", ""), record)))
    except BadText as error:
        name = name_of(text)
        raise BadText(f"this is {name}" if name else str(error)) from None


def record_of_foreign(found: Reading) -> Record:
    """The record of a file that another program's reader has read."""
    record = of_file(found.match)
    return record._replace(verdicts=found.verdicts or tuple(verdicts_in(found.remarks, record)))


def write(record: Record, file: Path) -> None:
    """Write a record to a new file, in the format that its name says. Raises: BadFile."""
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise BadFile(f"{file.name} says no format: its name should end in {', '.join(WRITERS)}")
    write_new(file, writer(record))


def write_new(file: Path, content: str | bytes) -> None:
    """Write a file that is not there yet. Raises: BadFile."""
    try:
        with file.open("xb") as new:
            new.write(content.encode() if isinstance(content, str) else content)
    except FileExistsError:
        raise BadFile(f"{file} is there already: give it another name") from None
    except OSError as error:
        raise BadFile(f"cannot write {file}: {error.strerror}") from None


def _of_json(text: str) -> Record:
    try:
        whole = json.loads(text)
        if "view" not in whole and "players" in whole:
            return record_of_match(msgspec.convert(whole, FileMatch))
        view = dict(whole["view"])
        if "points" in view:
            view["points"] = bytes(view["points"])
        told = {"type": "recorded", "id": 0, "match": whole["match"], "view": view}
        told |= {name: whole[name] for name in ("epoch", "seq", "events")}
        told |= {name: whole[name] for name in ("unrevealed", "analysis", "findings") if name in whole}
        record = of_server(msgspec.convert(told, m.Recorded, builtin_types=(bytes,)))
        faults = (*record.faults, *_wrong_proof(whole, record))
        return record._replace(faults=faults, notes=_unheard_of(whole.keys(), view.keys(), record))
    except json.JSONDecodeError as error:
        if not text.rstrip().endswith("}") or error.pos >= len(text.rstrip()):
            raise BadText("this file is cut: it ends in the middle") from None
        raise BadText(f"this is no match that tavla has exported: {error}") from None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise BadText(f"this is no match that tavla has exported: {clean(str(error))}") from None


def record_of_match(match: FileMatch) -> Record:
    """The record of another program's match: decided anew by the rules, as its own file was. Raises: BadText."""
    read, told = match.record(), match.analysis
    if told is not None and "Judgement" not in read.tags:
        rated = ("-" if rating is None else f"{rating:.2f}" for rating in told.ratings)
        names = (f"{name} {rating}" for name, rating in zip(match.players, rated, strict=True))
        read = read._replace(tags={**read.tags, "Judgement": f"{told.by}: {', '.join(names)}"})
    return of_file(read)._replace(verdicts=match.verdicts or match.findings)


def record_in_collection(told: m.CollectedFile) -> Record:
    """The record of a match in a collection: where the server has judged it, with that. Raises: BadText."""
    record, analysis = record_of_match(unpack(told.data)), told.match.analysis
    if analysis is None or analysis.error:
        return record
    own = {"FileJudgement": record.tags["Judgement"]} if "Judgement" in record.tags else {}
    tags = {**record.tags, **own, "Judgement": judged_by(record.names, analysis)}
    return record._replace(tags=tags, verdicts=tuple(told.findings))


def _wrong_proof(whole: dict[str, Any], record: Record) -> Iterator[str]:
    """Contradictions between the proof of a file and its view and events."""
    for name, value in (proof_in(record) or {}).items():
        if name in whole and whole[name] != value:
            yield f"the proof's {name} and what the match shows differ"


def _unheard_of(names: Set[str], fields: Set[str], record: Record) -> tuple[str, ...]:
    """A note on what no export has, and nothing follows from. names: in the file; fields: in its view."""
    usual = {"format", *m.Recorded.__struct_fields__, *(proof_in(record) or ())}
    added = [*sorted(names - usual), *sorted(map(str, fields - set(FIELDS)))]
    return (f"nobody can check what was added: {', '.join(added):.200}",) if added else ()


def _plain(value: Any) -> Any:
    """Without bytes, which JSON does not know."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, bytes) else value


def _names(record: Record) -> tuple[str, str]:
    first, second = map(clean, record.names)
    return first, second


def _day(record: Record) -> str:
    started = next(filter(None, record.times), 0)
    return time.strftime("%Y-%m-%d", time.localtime(started / 1000)) if started else ""


def _result(record: Record) -> str:
    """End of the match, if the points do not show it."""
    view = record.view
    unseen = view.phase == "over" and (view.outcome is None or not view.outcome[1])
    return result(view, None) if unseen else ""


def _tags(record: Record) -> dict[str, str]:
    """Remarks on the match, and the proof of its dice: its terms and seeds, from which its rolls follow."""
    facts = {"Match": record.id, "Result": _result(record), "Judgement": judgement(record)}
    proof = proof_in(record)
    if proof and proof["terms"]:
        facts |= remarks_of_proof(proof["terms"], proof["seeds"], proof["seed"])
    return {clean(name): clean(value) for name, value in {**record.tags, **_said(facts)}.items()}


def _remarks(record: Record) -> dict[int, list[tuple[str, str]]]:
    """Marks as SGF has them: DO for doubtful, BM for bad, twice for very bad."""
    signs = {"?!": ("DO", ""), "?": ("BM", "1"), "??": ("BM", "2")}
    remarks = remarks_of(record)
    return {
        place: [
            signs[max((mark(one.loss, one.mark) for one in found), key=list(signs).index)],
            ("C", ". ".join(remarks[place])),
        ]
        for place, found in marks_of(record).items()
    }


def _said(facts: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in facts.items() if value}
