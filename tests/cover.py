"""`python -m tests.cover`: the figures of `docs/coverage.md`, from what `make cover` has measured."""

import io

import coverage

PACKAGES = ("tavla_engine", "tavla_protocol", "tavla_server", "tavla_client", "tavla_cli", "tavla_bots")


def main() -> None:
    """Print a Markdown table: a line for each package, its statements and branches together."""
    measured = coverage.Coverage()
    measured.load()
    print("| package | covered |\n|---|---|")
    for package in PACKAGES:
        share = measured.report(include=[f"*/{package}/*"], file=io.StringIO())
        print(f"| `{package}` | {share:.1f} % |")


if __name__ == "__main__":
    main()
