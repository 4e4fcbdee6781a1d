"""How a server runs, decided when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class PasswordCost:
    """What a password's hash costs: argon2id as RFC 9106 recommends for little memory."""

    rounds: int = 3
    memory_kib: int = 64 * 1024
    lanes: int = 4


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server runs.

    `token` lets the one person of a workbench without accounts in; with accounts it is None.
    `vocabulary` is for projects that name none of their own.
    """

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8460
    token: str | None = field(default=None, repr=False)
    is_https: bool = False
    """Whether people reach it by https, through a proxy that ends it."""
    proxies: str = ""
    """Addresses of proxies whose word on the client's address is taken."""
    vocabulary: Path | None = None
    static: Path = field(default_factory=lambda: Path(__file__).parent / "static")
    password: PasswordCost = field(default_factory=PasswordCost)
    largest_body: int = 4 * 2**20
    largest_upload: int = 64 * 2**20
    largest_unpacked: int = 512 * 2**20
    most_files: int = 20_000
    session_hours: int = 12
    idle_minutes: int = 120
    invitation_days: int = 7
    failures_per_name: int = 5
    failures_per_address: int = 20
    failure_minutes: int = 15
    live_seconds: float = 2.0
    """How often other processes' events are looked for."""

    @property
    def cookie(self) -> str:
        """The name of the session's cookie; by https one that no other host can set."""
        return "__Host-auscult_session" if self.is_https else "auscult_session"

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine can reach it."""
        return self.host in LOCAL_HOSTS
