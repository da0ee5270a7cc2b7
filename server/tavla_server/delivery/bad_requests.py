"""Answers to requests that websockets leaves unanswered: a proxy takes that for a dead server."""

from http import HTTPStatus
from typing import NamedTuple

METHODS = ("GET", "HEAD")


class Refusal(NamedTuple):
    """A refusal: the answer to a request that is not read further."""

    status: HTTPStatus
    text: str


BAD = Refusal(HTTPStatus.BAD_REQUEST, "this is no request of HTTP/1.1")
METHOD = Refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"only {' and '.join(METHODS)} are known here")
BODY = Refusal(HTTPStatus(413), "a request has no body here")
CODING = Refusal(HTTPStatus.NOT_IMPLEMENTED, "no transfer coding is known here")
VERSION = Refusal(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "HTTP/1.1 is spoken here")
TOO_LONG = Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too long")


def refusal_of(begin: bytes, why: BaseException | None) -> Refusal:
    """The answer to a request that cannot be read. begin: its first bytes. why: as websockets says it."""
    has_coding, has_body = isinstance(why, NotImplementedError), "request body" in str(why)
    if (has_coding or has_body) and not begin.startswith((b"GET ", b"HEAD ")):
        return METHOD
    if has_coding:
        return CODING
    if has_body:
        return BODY
    return VERSION if "unsupported protocol" in str(why) else BAD
