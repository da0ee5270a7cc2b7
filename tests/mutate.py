"""Mutation testing: `make mutate T=engine N=60 SEED=1`, or `python -m tests.mutate engine 60 1`.

Takes N of a package's mutants by chance, the same ones for the same seed: a comparison turned, a number one off, `and`
for `or`, a condition denied, a statement left out. Each is tried in a copy of the tree against the package's tests. One
that no test notices shows an assertion that is missing, unless it changes nothing: those that somebody has judged to be
so stand in tests/data/equivalent_mutants.txt, a line each: path | change | why.

Why our own: mutmut 3 changes no constants outside functions and takes no sample, cosmic-ray writes into the work tree.
"""

import ast
import compileall
import contextlib
import copy
import itertools
import os
import py_compile
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.support.results import RESULTS, refresh

ROOT = Path(__file__).parent.parent
EQUIVALENT = ROOT / "tests" / "data" / "equivalent_mutants.txt"
TARGETS = {  # what is mutated, and the tests that are to notice
    "engine": ("engine/tavla_engine", ["tests/engine"]),
    "protocol": ("protocol/tavla_protocol", ["tests/protocol"]),
    "match": (
        "server/tavla_server/match",
        [
            "tests/server/match",
            "tests/server/gateway/test_coming_back.py",
            "tests/server/gateway/test_match_actions.py",
            "tests/server/gateway/test_reveal.py",
            "tests/server/features/tables",
            "tests/server/delivery/test_crowd.py",
            "tests/server/telemetry/test_garbage.py",
        ],
    ),
    "record": ("server/tavla_server/record", ["tests/server/record", "tests/server/match"]),
    "store": ("server/tavla_server/store", ["tests/server/store", "tests/e2e/test_backup.py"]),
    "features": (
        "server/tavla_server/features",
        [
            "tests/server/features",
            "tests/server/commands/test_inspect.py",
            "tests/server/store/test_version.py",
            "tests/deploy/test_limits.py",
        ],
    ),
    "gateway": ("server/tavla_server/gateway", ["tests/server/gateway", "tests/e2e/test_wss.py"]),
    "cluster": ("server/tavla_server/cluster", ["tests/server/cluster", "tests/server/match/test_flags.py"]),
    "client": ("clients/python/tavla_client", ["tests/client"]),
}
IMPORTED = ("engine", "protocol", "server", "clients/python", "clients/cli", "clients/bots")
COPIED = (*IMPORTED, "clients", "tests", "bench", "training", "docs", "deploy")
SPARE_S = 20.0  # beyond three times what the tests take without a mutant: then a mutant has made something endless


class Mutant(NamedTuple):
    """A change. start, end: byte offsets in the file of what is replaced. change: the line with [before -> after]."""

    path: str
    line: int
    start: int
    end: int
    after: str
    change: str


# --- what can be changed ---------------------------------------------------------------------------------------------

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
}
DROPPED = (ast.AugAssign, ast.Raise, ast.Delete, ast.Continue, ast.Break)


def mutants_of(path: str, source: str) -> list[Mutant]:
    """All mutants of a file."""
    data = source.encode()
    starts = [0, *itertools.accumulate(map(len, data.splitlines(keepends=True)))]
    found = []
    for node in _changeable(ast.parse(source)):
        end_line = node.end_lineno or node.lineno
        start, end = starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + (node.end_col_offset or 0)
        head, before, tail = (
            re.sub(r"\s+", " ", part.decode())
            for part in (data[starts[node.lineno - 1] : start], data[start:end], data[end : starts[end_line]])
        )
        for changed in _changes(node):
            after = ast.unparse(changed)
            change = f"{head}[{before:.90} -> {after:.90}]{tail}".strip()
            found.append(
                Mutant(path, node.lineno, start, end, after if isinstance(changed, ast.stmt) else f"({after})", change)
            )
    return found


def _changeable(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Code that runs: no annotations of functions, no assertions (only a bug of ours meets them), no options of classes
    that the type checker holds, and no f-strings, whose parts have no right place in Python 3.11."""
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    skipped = (ast.Assert, ast.JoinedStr, ast.arg)
    for name, value in ast.iter_fields(node):
        if name in ("returns", "decorator_list") or (name == "annotation" and not isinstance(node, ast.AnnAssign)):
            continue
        for child in value if isinstance(value, list) else [value]:
            held = isinstance(child, ast.keyword) and child.arg in ("frozen", "kw_only", "gc")
            if isinstance(child, ast.AST) and not isinstance(child, skipped) and not held:
                yield from _changeable(child)


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    match node:
        case ast.Constant(value=bool(flag)):
            yield ast.Constant(not flag)
        case ast.Constant(value=int(number) | float(number)):
            yield ast.Constant(number + 1)
            yield ast.Constant(number - 1)
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                changed = copy.deepcopy(node)
                changed.ops[at] = COMPARISONS[type(op)]()
                yield changed
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(op=op, left=left, right=right) if type(op) in OPERATORS:
            yield ast.BinOp(left, OPERATORS[type(op)](), right)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case _ if isinstance(node, DROPPED):
            yield ast.Pass()


# --- how a mutant is tried -------------------------------------------------------------------------------------------


class Tree:
    """A copy of the tree, in which a mutant takes a file's place for a while. The work tree is never touched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            shutil.copytree(
                ROOT / name, folder / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        for file in ROOT.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        path = os.pathsep.join(str(folder / name) for name in IMPORTED)
        self.environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        # Compiled once. By time and size alone the bytecode of one mutant would be taken for that of the next.
        compileall.compile_dir(folder, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)

    def sources(self, package: str) -> list[tuple[str, str]]:
        """The path and the text of each file of a package."""
        files = sorted((self.folder / package).rglob("*.py"))
        return [(str(file.relative_to(self.folder)), file.read_text()) for file in files]

    def test(self, tests: list[str], *options: str, limit_s: float | None = None) -> int | None:
        """The exit code of pytest; None if it did not come to an end."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=1"]
        process = subprocess.Popen(
            [*command, *options, *tests],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def quickest_first(self, tests: list[str]) -> list[str]:
        """The test files, those first that take least time, so that most mutants are found soon.

        Raises: SystemExit if a test fails without any mutant.
        """
        report = self.folder / "report.xml"
        if self.test(tests, f"--junit-xml={report}"):
            raise SystemExit("the tests fail without any mutant: run them first")
        took: defaultdict[str, float] = defaultdict(float)
        for case in ElementTree.parse(report).iter("testcase"):
            *folders, module = re.split(r"\.(?=test_)", case.attrib["classname"])[:2]
            took[f"{folders[0].replace('.', '/')}/{module.split('.')[0]}.py"] += float(case.attrib["time"])
        return sorted(took, key=took.__getitem__)

    def tried(self, mutant: Mutant, tests: list[str], limit_s: float) -> str:
        """The fate of a mutant: killed, endless (which would be noticed, too) or survived."""
        file = self.folder / mutant.path
        source = file.read_bytes()
        file.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.end :])
        try:
            code = self.test(tests, limit_s=limit_s)
        finally:
            file.write_bytes(source)
        return {0: "survived", None: "endless"}.get(code, "killed")


def judged() -> set[str]:
    """The mutants that change nothing, as `path | change`."""
    lines = EQUIVALENT.read_text().splitlines()
    return {line.rsplit(" | ", 1)[0] for line in lines if line and not line.startswith("#")}


def write_row(target: str, count: int, of: int, seed: int, counts: Counter[str]) -> None:
    """Put the row of a package into the table of all, and the table on the page that shows it."""
    killed, survived = counts["killed"] + counts["endless"], counts["survived"]
    share = 100 * killed / max(1, killed + survived)
    row = f"| {target} | {datetime.now(UTC):%Y-%m-%d} | {count} of {of} | {seed} | {killed} | {survived}"
    table = RESULTS / "mutation.md"
    head, line, *rows = table.read_text(encoding="utf-8").splitlines()
    rows = [one for one in rows if not one.startswith(f"| {target} |")]
    rows.append(f"{row} | {counts['equivalent']} | {share:.0f} % |")
    table.write_text("\n".join([head, line, *sorted(rows), ""]), encoding="utf-8")
    refresh()


def main(target: str, count: int, seed: int) -> None:
    """Try a sample, and print a table."""
    package, tests = TARGETS[target]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # by the way out that ends the tests, too
    equivalent = judged()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="tavla-mutants-") as folder:
        tree = Tree(Path(folder))
        every = [mutant for path, source in tree.sources(package) for mutant in mutants_of(path, source)]
        sample = sorted(random.Random(seed).sample(every, min(count, len(every))))
        begun = time.monotonic()
        tests = tree.quickest_first(tests)
        limit_s = 3 * (time.monotonic() - begun) + SPARE_S
        for mutant in sample:
            known = f"{mutant.path} | {mutant.change}" in equivalent
            outcome = "equivalent" if known else tree.tried(mutant, tests, limit_s)
            counts[outcome] += 1
            print(f"{outcome:10} {mutant.path}:{mutant.line}  {mutant.change}", flush=True)
        spent = (time.monotonic() - begun) / 60
    found = counts["killed"] + counts["endless"]
    write_row(target, len(sample), len(every), seed, counts)
    print(f"{target}: {found} of {found + counts['survived']} killed, N={len(sample)} of {len(every)}, SEED={seed}")
    print(f"{dict(counts)} in {spent:.0f} min")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
