"""The encrypted key file, with which a de-identification can be reversed; written only on request.

scrypt makes a key of the passphrase, AES-GCM encrypts with it and proves that nobody changed the
file. Without the passphrase the file tells nothing but its length. Extra `deid`.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auscult.core import FormatError, MissingExtraError, OptionError
from auscult.core.files import read_bytes
from auscult.core.storage import drafted

PASSPHRASE = "AUSCULT_DEID_PASSPHRASE"
"""The environment variable with the passphrase."""
_MAGIC = b"auscult-key-1\n"
_SALT, _NONCE = 16, 12
_COST, _BLOCK, _PARALLEL = 2**15, 8, 1
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class PatientKey:
    """The key of one patient: date offset, names, and the original text of each surrogate."""

    patient_id: str
    offset_days: int = field(repr=False)
    names: dict[str, str] = field(repr=False)
    notes: dict[str, list[tuple[int, int, str]]] = field(repr=False)
    """For each note id of the output: begin and end of each surrogate, and the original text."""
    ids: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    """For each kind of id: original ids by new ids; empty if ids were kept."""
    times: dict[str, str] = field(default_factory=dict, repr=False)
    """The original times of notes, by note id of the output."""


class KeyWriter:
    """Gathers the key of one patient after another, compressed, and encrypts it at the end."""

    def __init__(self, file: Path, passphrase: str, *, overwrite: bool = False) -> None:
        require_cryptography()
        check_passphrase(passphrase)
        check_absent(file, overwrite=overwrite)
        self._file, self._passphrase, self._overwrite = file, passphrase, overwrite
        self._packer = zlib.compressobj()
        self._packed: list[bytes] = []

    def add(self, key: PatientKey) -> None:
        """Keep a patient's key."""
        line = json.dumps(
            {name: getattr(key, name) for name in PatientKey.__slots__}, ensure_ascii=False
        )
        self._packed.append(self._packer.compress(line.encode("utf-8", "surrogatepass") + b"\n"))

    @contextmanager
    def written(self) -> Iterator[None]:
        """Write the key, encrypted, beside where it goes; it is put there when the block succeeds.

        The corpus is written in the block, so that there is never one whose key is lost, and a key
        that is there already stays until its successor is needed.
        """
        self._packed.append(self._packer.flush())
        salt, nonce = os.urandom(_SALT), os.urandom(_NONCE)
        sealed = _cipher(self._passphrase, salt).encrypt(nonce, b"".join(self._packed), _MAGIC)
        with drafted(self._file, overwrite=self._overwrite) as draft:
            draft.touch(mode=0o600)
            with draft.open("wb") as handle:
                handle.write(_MAGIC + salt + nonce + sealed)
                handle.flush()
                os.fsync(handle.fileno())
            yield


def read_key(file: Path, passphrase: str) -> Iterator[PatientKey]:
    """The keys of all patients; a wrong passphrase and a changed file are errors."""
    from cryptography.exceptions import InvalidTag

    raw = read_bytes(file)
    start = len(_MAGIC)
    if not raw.startswith(_MAGIC) or len(raw) < start + _SALT + _NONCE:
        raise FormatError("this is not a de-identification key", file)
    salt, nonce = raw[start : start + _SALT], raw[start + _SALT : start + _SALT + _NONCE]
    try:
        packed = _cipher(passphrase, salt).decrypt(nonce, raw[start + _SALT + _NONCE :], _MAGIC)
    except InvalidTag:
        raise OptionError(
            f"{file} cannot be decrypted: the passphrase is wrong, or the file was changed."
        ) from None
    for line in zlib.decompress(packed).decode("utf-8", "surrogatepass").split("\n"):
        if not line:
            continue
        values: dict[str, Any] = json.loads(line)
        notes = {note: [(b, e, text) for b, e, text in v] for note, v in values["notes"].items()}
        yield PatientKey(**{**values, "notes": notes})


def check_passphrase(passphrase: str) -> None:
    """Raise an error for a passphrase that is hardly one."""
    if len(passphrase) < _SHORTEST:
        raise OptionError(f"A passphrase must have at least {_SHORTEST} characters.")


def check_absent(file: Path, *, overwrite: bool) -> None:
    """Raise an error when a file is there and must not be replaced."""
    if file.exists() and not overwrite:
        raise OptionError(f"{file} exists already. Choose another name, or pass --overwrite.")


def require_cryptography() -> None:
    """Raise an error at once when the key could not be encrypted in the end."""
    try:
        import cryptography  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise MissingExtraError("Encrypting a key", "deid") from error


def _cipher(passphrase: str, salt: bytes) -> Any:
    require_cryptography()
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    made = Scrypt(salt=salt, length=32, n=_COST, r=_BLOCK, p=_PARALLEL)
    return AESGCM(made.derive(passphrase.encode()))
