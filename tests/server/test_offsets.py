"""What is marked is what is stored: code points, whatever the text is made of."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.server.world import TEXT, World

from auscult.core import Span
from auscult.core.offsets import Offsets, OffsetUnit


def test_the_text_comes_as_it_is_in_the_corpus(world: World) -> None:
    assert world.browser("ann").note(world.notes[0])["text"] == TEXT


def test_every_kind_of_character_can_be_marked_alone(world: World) -> None:
    ann = world.browser("ann")
    pieces = {
        "🫀": (6, 7),
        "\r\n": (18, 20),
        "\t": (20, 21),
        "e\u0301": (25, 27),
        "\u0301": (26, 27),
    }
    changes = [world.add(f"Z{n}", span) for n, span in enumerate(pieces.values())]
    assert ann.step(*changes).status_code == 201
    note = ann.note(world.notes[0])
    marked = [note["text"][b:e] for a in note["sheet"]["annotations"] for b, e in a["spans"]]
    assert sorted(marked) == sorted(pieces)


def test_utf16_offsets_past_the_end_are_refused_with_a_hint(world: World) -> None:
    units = len(TEXT.encode("utf-16-le")) // 2
    assert units > len(TEXT)
    done = world.browser("ann").step(world.add("I10", (units - 6, units)))
    assert done.status_code == 422
    assert "code points" in done.json()["message"]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edges=st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))))
def test_a_browser_that_converts_gets_back_what_it_selected(
    lite: World, edges: tuple[int, int]
) -> None:
    """A browser selects UTF-16 units; what it reads back is the same selection."""
    begin, end = sorted(edges)
    if begin == end:
        return
    selected = TEXT[begin:end]
    units = Offsets(TEXT, OffsetUnit.UTF16)
    first, last = units.span_from_codepoint(Span(begin, end))
    sent = units.span_to_codepoint(first, last)
    ann = lite.browser("ann")
    added = lite.add("I10", (sent.begin, sent.end))
    assert ann.step(added).status_code == 201
    note = ann.note(lite.notes[0])
    ((b, e),) = note["sheet"]["annotations"][0]["spans"]
    in_units = [x * 2 for x in units.span_from_codepoint(Span(b, e))]
    assert TEXT.encode("utf-16-le")[slice(*in_units)].decode("utf-16-le") == selected
    ann.back("undo")
