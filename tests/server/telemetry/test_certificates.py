"""The end of a certificate, read from the files that people have."""

import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tavla_server.telemetry.certificates import end_of

from tests.support.wire.certificates import Authority

Made = Callable[[Authority], str]


def chain(authority: Authority) -> str:
    """Two certificates: a server's, which ends first, and its authority's."""
    return leaf(authority) + authority.file.read_text()


def leaf(authority: Authority) -> str:
    return authority.certified("DNS:localhost")[0].read_text()


def key_first(authority: Authority) -> str:
    certificate, key = authority.certified("DNS:localhost")
    return key.read_text() + certificate.read_text() + authority.file.read_text()


def with_text(authority: Authority) -> str:
    """As `openssl ca` and `openssl x509 -text` write it, on a Windows machine."""
    certificate, _ = authority.certified("DNS:localhost")
    return _openssl("x509", "-text", "-in", str(certificate)).replace("\n", "\r\n")


def trusted(authority: Authority) -> str:
    return _openssl("x509", "-trustout", "-in", str(authority.certified("DNS:localhost")[0]))


def expired(authority: Authority) -> str:
    return authority.expired("DNS:localhost")[0].read_text()


def far(authority: Authority) -> str:
    """Past 2049, so the date has another form."""
    _, key = authority.certified("DNS:localhost")
    return _openssl("req", "-x509", "-key", str(key), "-subj", "/CN=far", "-days", "20000")


def of_rsa_and_version_1(authority: Authority) -> str:
    """A certificate of version 1 has a field less, and one of RSA sizes of two bytes."""
    options = "req -new -noenc -newkey rsa:2048 -keyout /dev/null -subj /CN=old"
    request = _openssl(*options.split())
    signed = ["x509", "-req", "-CA", str(authority.file), "-CAkey", str(authority.file.with_suffix(".key"))]
    return _openssl(*signed, "-CAcreateserial", "-days", "3", given=request)


def _openssl(*args: str, given: str = "") -> str:
    return subprocess.run(["openssl", *args], input=given, check=True, capture_output=True, text=True).stdout


FILES: list[Made] = [leaf, chain, key_first, with_text, trusted, expired, far, of_rsa_and_version_1]


@pytest.mark.parametrize("made", FILES, ids=lambda made: made.__name__)
def test_the_end_of_the_first_certificate_is_the_one_that_openssl_reads(made: Made, tmp_path: Path) -> None:
    pem = made(Authority(tmp_path))
    end = _openssl("x509", "-noout", "-enddate", given=pem).strip().removeprefix("notAfter=")
    assert end_of(pem) == ssl.cert_time_to_seconds(end)


def test_a_file_without_a_certificate_is_said_to_have_none(tmp_path: Path) -> None:
    _, key = Authority(tmp_path).certified("DNS:localhost")
    with pytest.raises(ValueError, match="no certificate in it"):
        end_of(key.read_text())
