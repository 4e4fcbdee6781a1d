"""Which servers may be asked."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.models.verify.server import Reply, says, serving

from auscult import Annotation, Code, Note, Span, Verifier, verify
from auscult.core import OptionError
from auscult.models.verify.addresses import find_endpoint

Resolver = Callable[..., None]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    """Let every name lead to some addresses."""

    def lead(*addresses: str) -> None:
        def getaddrinfo(_: str, port: int, **__: object) -> list[tuple[object, ...]]:
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
                for address in addresses
            ]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    return lead


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.8.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.9", "::1",
     "fd00::1", "::ffff:10.0.0.1"],
)  # fmt: skip
def test_this_machine_and_private_networks(resolver: Resolver, address: str) -> None:
    resolver(address)
    found = find_endpoint("http://llm.hospital")
    assert found.is_local
    assert found.addresses == (address,)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "172.32.0.1", "192.169.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
     "198.51.100.1", "255.255.255.255", "2001:4860:4860::8888", "fe80::1%eth0", "::ffff:8.8.8.8",
     "::", "64:ff9b::808:808"],
)  # fmt: skip
def test_other_addresses_have_to_be_allowed(resolver: Resolver, address: str) -> None:
    resolver(address)
    with pytest.raises(OptionError, match="allow_remote"):
        find_endpoint("https://llm.example")
    assert not find_endpoint("https://llm.example", allow_remote=True).is_local
    with pytest.raises(OptionError, match="https only"):
        find_endpoint("http://llm.example", allow_remote=True)


@pytest.mark.parametrize("addresses", [("10.0.0.1", "8.8.8.8"), ("8.8.8.8", "127.0.0.1")])
def test_one_address_outside_is_enough(resolver: Resolver, addresses: tuple[str, ...]) -> None:
    resolver(*addresses)
    with pytest.raises(OptionError, match="allow_remote"):
        find_endpoint("http://llm.hospital")


def test_the_name_is_looked_up_once(
    resolver: Resolver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A name that leads elsewhere after the check leads nowhere."""
    resolver("127.0.0.1")
    connected: list[object] = []

    def create_connection(address: object, *_: object) -> socket.socket:
        connected.append(address)
        resolver("8.8.8.8")
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", create_connection)
    monkeypatch.setattr("auscult.models.verify.client.time.sleep", lambda _: None)
    note = Note("n", "c", text="CHF")
    given = Annotation("m", Code("ICD-10-CM", "I50.9"), "c", "n", (_whole(note),))
    with pytest.warns(UserWarning, match="cannot be reached"):
        verify([given], [note], Verifier("http://llm.hospital:9", "llm", cache=tmp_path))
    assert set(connected) == {("127.0.0.1", 9)}
    assert len(connected) > 1


def test_a_remote_server_is_warned_of(resolver: Resolver, tmp_path: Path) -> None:
    resolver("8.8.8.8")
    one = Verifier("https://llm.example", "llm", allow_remote=True, cache=tmp_path)
    with pytest.warns(UserWarning, match="patients' data"):
        verify([], [], one)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://localhost", "/v1"),
        ("http://localhost/", "/v1"),
        ("http://localhost:8000/v1", "/v1"),
        ("http://localhost:8000/v1/", "/v1"),
        ("http://localhost/v1/chat/completions", "/v1"),
        ("http://localhost/openai/v1beta", "/openai/v1beta"),
    ],
)
def test_the_base_address_with_and_without_its_version(url: str, path: str) -> None:
    assert find_endpoint(url).path == path


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "ftp://localhost", "http://", "http://user:secret@localhost", "http://[",
     "http://localhost:port", "http://localhost/?key=secret", "http://localhost/#secret", "",
     "file:///etc/passwd", "http://localhost/a b", "http://localhost/secret\u00e9"],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(OptionError, match="address") as error:
        find_endpoint(url)
    assert "secret" not in str(error.value)


def test_a_name_that_is_not_found(resolver: Resolver) -> None:
    resolver()
    with pytest.raises(OptionError, match="cannot be found"):
        find_endpoint("http://no.such.host")


def _whole(note: Note) -> Span:
    return Span(0, len(note.text or ""))


def test_https_checks_the_name_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auscult.models.verify.client.time.sleep", lambda _: None)
    secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    secure.load_cert_chain(_certificate(tmp_path, "localhost"))
    note = Note("n", "c", text="CHF")
    given = Annotation("m", Code("ICD-10-CM", "I50.9"), "c", "n", (_whole(note),))
    with serving(lambda *_: Reply(says("accept", "CHF")), secure) as server:
        url = server.url.replace("127.0.0.1", "localhost")
        with pytest.warns(UserWarning, match="cannot be reached"):
            verify([given], [note], Verifier(url, "llm", cache=tmp_path / "answers"))
        assert server.asked == []  # nobody vouches for the certificate
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
        trusted = verify([given], [note], Verifier(url, "llm", cache=tmp_path / "answers"))
        assert trusted.accepted == 1
        with pytest.warns(UserWarning, match="cannot be reached"):
            verify([given], [note], Verifier(server.url, "llm", cache=tmp_path / "answers"))
        assert len(server.asked) == 1  # the certificate is of another name


def _certificate(folder: Path, name: str) -> Path:
    """A file with a key and a certificate that it signed for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    held = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = folder / "server.pem"
    file.write_bytes(held + made.public_bytes(serialization.Encoding.PEM))
    return file
