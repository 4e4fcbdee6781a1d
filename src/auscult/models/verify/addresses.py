"""Where questions may be sent: this machine and private networks, unless others are allowed."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from auscult.core import OptionError
from auscult.core.option_names import option

# Link-local addresses are not among them: in a cloud, credentials are served there.
_LOCAL = tuple(
    map(
        ipaddress.ip_network,
        ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that was looked up once: every request goes to one of these very addresses."""

    scheme: str
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]
    is_local: bool
    """Whether all of its addresses are of this machine or of a private network."""

    @property
    def name(self) -> str:
        """Host, port and path, by which answers of one server are told from another's."""
        return f"{self.host}:{self.port}{self.path}"


def find_endpoint(url: str, *, allow_remote: bool = False) -> Endpoint:
    """Look up the server of a base URL, and check that it may be asked.

    A name that leads to several addresses is local only if all of them are. Another server needs
    `allow_remote` and https.
    """
    parts, port = _split(url)
    host = parts.hostname or ""
    addresses = _addresses(host, port)
    is_local = all(map(is_local_address, addresses))
    if not is_local and not allow_remote:
        raise OptionError(
            f"The verifier {host} is not on this machine or in a private network, and the "
            "questions contain text of notes. If these may leave your network, pass "
            f"{option('--allow-remote', 'allow_remote=True')}."
        )
    if not is_local and parts.scheme != "https":
        raise OptionError(
            f"The verifier {host} is outside of your network, so it is asked over https only. "
            "Write its address with https://."
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return Endpoint(parts.scheme, host, port, path, addresses, is_local)


def is_local_address(address: str) -> bool:
    """Whether an address is of this machine or of a private network.

    >>> is_local_address("192.168.1.4"), is_local_address("8.8.8.8"), is_local_address("::1")
    (True, False, True)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in network for network in _LOCAL if network.version == found.version)


def _split(url: str) -> tuple[SplitResult, int]:
    # The address is not repeated: it may hold a password.
    example = "for example http://localhost:11434/v1"
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
        parts.path.encode("ascii")
    except ValueError:
        raise OptionError(
            f"The verifier's address is not a URL. Expected one, {example}."
        ) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise OptionError(
            f"The verifier's address must begin with http:// or https:// and a host, {example}."
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise OptionError(
            "The verifier's address must not contain a user, a password, a query or a fragment. "
            "Give an API key in the environment variable AUSCULT_VERIFY_KEY."
        )
    if any(character.isspace() or not character.isprintable() for character in parts.path):
        raise OptionError(f"The verifier's address contains white space. Expected one, {example}.")
    return parts, port


def _addresses(host: str, port: int) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    addresses = tuple(dict.fromkeys(str(where[0]) for *_, where in found))
    if not addresses:
        raise OptionError(
            f"The verifier's host {host} cannot be found. Check the name and the network."
        )
    return addresses
