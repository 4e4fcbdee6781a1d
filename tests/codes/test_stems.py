"""Stems are the same whoever asks for them."""

from __future__ import annotations

import sys
import threading

from auscult.codes.index.stems import stem, stem_all


def test_threads_do_not_disturb_each_other() -> None:
    words = [f"{begin}{end}" for begin in "bcdfglmnprst" for end in _ENDINGS]
    expected = stem_all(words, "english")
    stem.cache_clear()
    found: list[list[str]] = []

    def work() -> None:
        found.append(stem_all(words * 5, "english"))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert found == [expected * 5] * 6


_ENDINGS = ("ationally", "ousness", "iveness", "icalities", "ingly", "edly", "fulness", "entli")
