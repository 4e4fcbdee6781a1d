"""Folding and cutting text: what is compared is the same however it is written or read."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auscult.codes.index.folding import fold
from auscult.codes.index.scan import scan
from auscult.codes.index.tokens import tokenize

TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("ab Z09-_.,'’–\n\r\t\0ßİıﬁŒœéüñ\u0301\u200b\u00ad😀½²™µΣς"),
    )
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Sjögren’s", "sjogren's"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ﬁbrosis", "fibrosis"),
        ("İSTANBUL", "istanbul"),
        ("e\u0301tat", "etat"),
        ("soft\u00adhyphen", "softhyphen"),
        ("non‑breaking – dash −1", "non-breaking - dash -1"),
        ("10² ½ Tylenol™", "10² ½ tylenol™"),
        ("ΑΣ", "ας".replace("ς", "σ")),
        ("“quoted”", '"quoted"'),
        ("no\u00a0break", "no break"),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text).text == folded


@given(TEXTS)
@example("ŉİﬁ\u0301")
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == once


@given(TEXTS)
def test_composed_and_decomposed_are_the_same(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)).text == (
        fold(unicodedata.normalize("NFC", text)).text
    )


@given(TEXTS, st.data())
def test_every_folded_character_knows_where_it_came_from(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    if not folded.text:
        return
    begin = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(begin + 1, len(folded.text)))
    place = folded.span(begin, end)
    if place is None:
        # Only a character that became several can be cut in two.
        assert any(len(fold(c).text) > 1 for c in text)
        return
    first, last = place
    assert 0 <= first < last <= len(text)
    assert fold(text[first:last]).text == folded.text[begin:end]


@given(TEXTS)
def test_both_ways_of_cutting_agree(text: str) -> None:
    folded = fold(text).text
    tokens = scan(folded)
    cut = [folded[b:e] for b, e in zip(tokens.begins, tokens.ends, strict=True)]
    expected = tokenize(folded)
    assert cut == [token for token in expected if not token.isspace()]
    # Paragraphs go up exactly where the other way sees a blank line between two tokens.
    paragraph, seen = 0, []
    for token in expected:
        if not token.isspace():
            seen.append(paragraph)
        elif seen:
            paragraph += 1
    assert tokens.paragraphs.tolist() == seen


@given(st.lists(st.text("abcé1", min_size=1, max_size=12), min_size=1, max_size=30))
def test_a_word_has_the_same_number_wherever_it_stands(words: list[str]) -> None:
    numbers = scan(fold(" ".join(words)).text).numbers.tolist()
    alone = [int(scan(fold(word).text).numbers[0]) for word in words]
    assert numbers == alone
    assert len(set(numbers)) == len({fold(word).text for word in words})
