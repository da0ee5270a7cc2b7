"""The log: lines of text for people, JSON for programs."""

import logging
import os
import sys

import structlog

from tavla_server.telemetry import metrics, trace


def configure_log(log_format: str, log_level: str) -> None:
    """Write the log to stderr. log_format: auto, console or json; auto = console on a terminal."""
    is_terminal = sys.stderr.isatty()
    trace.on = log_level == "debug"
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _counted,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if log_format == "console" or (log_format == "auto" and is_terminal):
        colours = is_terminal and not os.environ.get("NO_COLOR")  # source: no-color.org
        processors.append(
            structlog.dev.ConsoleRenderer(colors=colours, exception_formatter=structlog.dev.plain_traceback)
        )
    else:
        # Without the frames' variables: a request in one of them may hold a token.
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        processors += [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(log_level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Handshakes that fail and clients that vanish are everyday life for a public port, not errors of ours.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)


def _counted(_: object, method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Count the lines that want to be read."""
    if (level := line["level"]) in metrics.LOG_LINES.counts:
        metrics.LOG_LINES.add(level)
    return line
