"""Where phrases and secrets stand is exact, however a note is laid out."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from auscult.synth.note_parts import (
    Form,
    HiddenIdentifier,
    Phrase,
    PhraseKind,
    Piece,
    Text,
    capital,
    indented,
    listed,
    misspell,
    parse,
    render,
    smudge,
    upper,
    wrap,
)
from auscult.synth.random_draws import RandomDraws

words = st.text(st.sampled_from("ab é°🙂\n-"), max_size=12)
phrases = st.text(st.sampled_from("abc é"), min_size=1, max_size=12).map(
    lambda text: Phrase(text, PhraseKind.CONDITION, "row", proper=text)
)
secrets = st.tuples(words, words).map(
    lambda pair: HiddenIdentifier(f"[**{pair[0]}**]", pair[1], "NAME")
)
notes = st.lists(st.one_of(words, phrases, secrets), max_size=30)


@given(notes, st.sampled_from([0, 8, 20, 72]))
def test_spans_cover_what_they_say_in_both_copies(pieces: list[Piece], width: int) -> None:
    note = render(pieces, width)

    def covered(text: str, spans: Sequence[tuple[int, int, object]]) -> list[str]:
        return [text[begin:end].replace("\n", " ") for begin, end, _ in spans]

    said = [piece for piece in pieces if isinstance(piece, Phrase)]
    hidden = [piece for piece in pieces if isinstance(piece, HiddenIdentifier)]
    assert covered(note.text, note.phrases) == [phrase.text for phrase in said]
    assert covered(note.text, note.masks) == [s.mask.replace("\n", " ") for s in hidden]
    assert covered(note.real_text, note.secrets) == [s.real.replace("\n", " ") for s in hidden]


@given(st.text(st.sampled_from("ab \n"), max_size=200), st.integers(1, 40))
def test_wrapping_only_turns_spaces_into_line_breaks(text: str, width: int) -> None:
    wrapped = wrap(text, width)
    assert len(wrapped) == len(text)
    assert all(a == b or (a, b) == (" ", "\n") for a, b in zip(text, wrapped, strict=True))


def test_wrapped_lines_fit_unless_a_word_does_not() -> None:
    text = "the quick brown fox jumps over the lazy dog " * 5
    assert max(map(len, wrap(text, 30).split("\n"))) <= 30
    assert wrap("x" * 50 + " y", 10) == "x" * 50 + "\ny"


def test_forms_with_wide_gaps_stay_on_one_line() -> None:
    line = "Admission Date:  [**2151-3-4**]" + " " * 14 + "Discharge Date:   [**2151-3-10**]"
    assert wrap(line, 60) == line


def test_templates_are_split_at_their_slots() -> None:
    assert parse("{it} seen, no {-fever}.") == (("", "it"), (" seen, no ", "-fever"), (".", ""))


def test_lists_are_joined_as_in_prose() -> None:
    assert "".join(map(str, listed(["a"]))) == "a"
    assert "".join(map(str, listed(["a", ["b", "c"], "d"], last=" or "))) == "a, bc or d"


def test_capitals_and_indents_keep_phrases_phrases() -> None:
    phrase = Phrase("uti", PhraseKind.CONDITION, "uti", form=Form.SHORT, proper="UTI")
    assert capital([phrase, " x"]) == [phrase._replace(text="UTI"), " x"]
    assert capital(["no ", phrase])[0] == "No "
    assert upper(["no ", phrase]) == ["NO ", phrase._replace(text="UTI")]
    assert indented(["a\nb", phrase]) == ["a\n   b", phrase]


@given(st.integers())
def test_misspelled_words_stay_recognizable(seed: int) -> None:
    wrong = misspell("hypertension", RandomDraws(str(seed)))
    assert abs(len(wrong) - 12) <= 1
    assert (wrong[0], wrong[-1]) == ("h", "n")


def test_typing_errors_come_at_their_rate_and_spare_secrets() -> None:
    pieces: Text = [
        "several ordinary words here ",
        HiddenIdentifier("[**Name**]", "Johnson", "NAME"),
    ] * 500
    smudged = smudge(pieces, 0.02, RandomDraws("typos"))
    wrong = sum(a != b for a, b in zip(pieces, smudged, strict=True))
    assert 20 < wrong < 80
    assert all(
        b == a for a, b in zip(pieces, smudged, strict=True) if isinstance(a, HiddenIdentifier)
    )
