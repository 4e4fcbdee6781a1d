"""Names of people: by titles, credentials, labels and kin around them, and by lists of names."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.deid.disambiguation import is_thing, may_be_disease
from auscult.deid.lexicon import (
    AMBIGUOUS,
    COMMON,
    EPONYM,
    GIVEN,
    NAME,
    RARE,
    SURNAME,
    WORD,
    is_place,
)
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.contract import NoteView
from auscult.deid.recognizers.name_cues import (
    BY,
    CAPITALS,
    CHAIN,
    COUNTED,
    CREDENTIAL,
    CREDENTIAL_WORDS,
    HEADINGS,
    KIN,
    KIN_AFTER,
    KIN_NAMED,
    KIN_OR_NAMED,
    LABEL,
    PARTICLES,
    PERSON_AFTER,
    SHORTEST,
    SMALL_PARTICLES,
    TITLES,
    WEAK_CREDENTIAL,
    WITH,
    WORD_TITLES,
)
from auscult.deid.recognizers.sentences import begins_sentence
from auscult.deid.recognizers.uppercase_names import take_uppercase


class NameRecognizer:
    """Names of patients, relatives and staff."""

    name = "names"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The names of a note that can be told from the note alone."""
        return NameScan(sight).found()


class NameScan:
    """One note, word by word; a word is taken once."""

    def __init__(self, sight: NoteView) -> None:
        self.text = sight.text
        self.words = sight.words
        self.at: dict[int, PhiSpan] = {}

    def found(self) -> Iterator[PhiSpan]:
        for at, word in enumerate(self.words):
            if at in self.at:
                continue
            key, flags = word.key, word.flags
            if key in TITLES:
                self._titled(at)
            elif key in CREDENTIAL_WORDS and at:
                self._credential(at - 1)
            elif flags & NAME:
                self._listed(at)
            elif len(key) > 2 and word.before.strip("(,:-") in KIN_OR_NAMED:
                self._unlisted(at)
        self._take_beside()
        yield from self.at.values()

    # -- taking words ---------------------------------------------------------------------------

    def take(self, at: int, part: PhiPart, doubt: str = "", *, hide: bool = True) -> None:
        """Take one word as a name."""
        word = self.words[at]
        if len(word.key) == 1:
            part = PhiPart.INITIAL
        self.at[at] = PhiSpan(word.begin, word.end, PhiKind.NAME, part, doubt, hide)

    def _take_all(self, first: int, last: int, alone: PhiPart) -> None:
        """The words from `first` to `last`: the last is the surname, given names before it."""
        if first == last:
            self.take(first, alone)
            return
        surname = last
        while surname > first + 1 and self.words[surname - 1].key in PARTICLES:
            surname -= 1
        if first == surname - 1 and self.words[first].key in PARTICLES:
            surname = first
        for at in range(first, surname):
            self.take(at, PhiPart.GIVEN)
        if surname < last:  # one surname of several words
            begin, end = self.words[surname].begin, self.words[last].end
            for at in range(surname, last + 1):
                self.at[at] = PhiSpan(begin, end, PhiKind.NAME, PhiPart.SURNAME)
        else:
            self.take(last, PhiPart.SURNAME)

    def _gap(self, at: int) -> str:
        """What is between a word and the next."""
        if at + 1 >= len(self.words):
            return "\0"
        return self.text[self.words[at].end : self.words[at + 1].begin]

    def adjoins(self, at: int) -> bool:
        """Whether the next word goes on with a name: a blank, or the dot of an initial."""
        gap = self._gap(at)
        if gap in (" ", "\n", "-") or SMALL_PARTICLES.fullmatch(gap):
            return True
        short = len(self.words[at].key) == 1 or self.words[at].key == "st"
        return short and gap in (". ", ".\n", ".")

    def _chain(self, first: int, *, strong: bool) -> int:
        """The last word of a name that begins with `first`."""
        last = first
        while last - first < CHAIN - 1 and last + 1 < len(self.words) and self.adjoins(last):
            here, after = self.words[last], self.words[last + 1]
            spelled = self.text[after.begin : after.end]
            if spelled in CAPITALS or after.key in TITLES or self.is_heading(last + 1):
                break
            goes_on = (
                here.key in PARTICLES
                or len(here.key) == 1
                or (len(after.key) == 1 and self.text[after.end : after.end + 1] == ".")
                or (after.key in PARTICLES and self.adjoins(last + 1) and after.key != "st")
                or (SMALL_PARTICLES.fullmatch(self._gap(last)) and here.flags & GIVEN)
            )
            if not goes_on:
                named = after.flags & NAME and not (after.flags & WORD and "\n" in self._gap(last))
                given = here.flags & GIVEN
                if named and (given or not strong) and not is_thing(self.text, after):
                    goes_on = bool(strong or not after.flags & WORD or self.mid(last + 1))
                elif not after.flags & (NAME | WORD) and given and strong:
                    goes_on = spelled.istitle() and self._ends_name(last + 1)
            if not goes_on:
                break
            last += 1
        if last > first and self.words[last].key in PARTICLES:
            last -= 1
        return last

    def _ends_name(self, at: int) -> bool:
        """Whether what follows a word is what follows a name: a comma, a verb, the line's end."""
        after = self.text[self.words[at].end : self.words[at].end + 2]
        return (
            not after.strip() or after[0] in ",.;)\n" or (after[0] == " " and after[1:].islower())
        )

    def is_heading(self, at: int) -> bool:
        word = self.words[at]
        return self.text[word.end : word.end + 1] == ":" or word.key in HEADINGS

    def mid(self, at: int) -> bool:
        """Whether a word stands in the middle of a sentence, where plain words have no capital."""
        begin = self.words[at].begin
        before = self.text[max(0, begin - 2) : begin]
        return (
            len(before) == 2 and before[1] in " \n" and (before[0].isalpha() or before[0] in ",;")
        )

    # -- what tells a name ----------------------------------------------------------------------

    def _titled(self, at: int) -> None:
        gap = self._gap(at)
        if gap not in (". ", " ", ".", ".\n", "\n") or at + 1 >= len(self.words):
            return
        after = self.words[at + 1]
        spelled = self.text[after.begin : after.end]
        title = self.text[self.words[at].begin : self.words[at].end]
        acronym = title.isupper() and spelled.isupper() and len(spelled) <= SHORTEST
        if spelled in CAPITALS or acronym or after.key in HEADINGS:
            return
        # MR HEAD is a picture and MS a mental status; "don" and "doctor" are words.
        shouted = title in ("MR", "MS", "DR")
        doubtful = shouted or (self.words[at].key in WORD_TITLES and gap[0] != ".")
        if doubtful and (not after.flags & NAME or after.flags & WORD):
            return
        last = self._within_sentence(at + 1, self._chain(at + 1, strong=True))
        self._take_all(at + 1, last, PhiPart.SURNAME)
        if self.words[at].key == "drs":
            while last + 1 < len(self.words) and self._gap(last) in (
                " and ",
                ", ",
                " & ",
                ", and ",
            ):
                last += 1
                self.take(last, PhiPart.SURNAME)

    def _within_sentence(self, first: int, last: int) -> int:
        """The last of the words before a sentence that begins behind initials, if one does."""
        for at in range(first, last):
            if len(self.words[at].key) > 1:
                break
            if "." in self._gap(at) and begins_sentence(self.text, self.words[at + 1]):
                return at
        return last

    def _credential(self, at: int) -> None:
        """Take the name that a word ends, when a credential follows it."""
        word = self.words[at]
        mark = self.text[word.end : word.end + 1]
        if mark not in (",", " ", "\n") or len(word.key) < 2:
            return
        found = CREDENTIAL.match(self.text, word.end)
        spelled = self.text[word.begin : word.end]
        if found is None or spelled in CAPITALS:
            return
        first = at
        while first > 0 and at - first < CHAIN - 1:
            before = self.words[first - 1]
            if first - 1 in self.at:
                if self.adjoins(first - 1):
                    self._take_all(first, at, PhiPart.SURNAME)
                    return
                break
            if not self.adjoins(first - 1) or before.key in TITLES:
                break
            here = self.words[first]
            fits = (
                before.flags & NAME
                or before.key in PARTICLES
                or len(before.key) == 1
                or (not before.flags and self._starts_line(first - 1) and here.flags & NAME)
            )
            if not fits or (
                self._gap(first - 1) == "\n" and self._starts_line(first) and at > first
            ):
                break
            first -= 1
        while first < at and self.words[first].flags & WORD and not self.words[first].flags & GIVEN:
            first += 1
        named = any(one.flags & (NAME | EPONYM) for one in self.words[first : at + 1])
        weak = WEAK_CREDENTIAL.match(self.text, word.end) is not None
        if weak and spelled.isupper() and (not word.flags & NAME or word.flags & AMBIGUOUS):
            return  # in capitals PT is the patient
        if first == at and (not named or (weak and word.flags & WORD)):
            return
        if not named and not self._starts_line(first):
            return
        self._take_all(first, at, PhiPart.SURNAME)

    def _starts_line(self, at: int) -> bool:
        begin = self.words[at].begin
        line = self.text.rfind("\n", 0, begin) + 1
        return not self.text[line:begin].strip()

    def _listed(self, at: int) -> None:
        word, text = self.words[at], self.text
        spelled = text[word.begin : word.end]
        shouting = len(spelled) > 1 and spelled.isupper()
        short = len(spelled) < SHORTEST and (shouting or bool(word.flags & WORD))
        if short or self._last_first(at):
            return
        alone = PhiPart.GIVEN if word.flags & GIVEN else PhiPart.SURNAME
        if self._labeled(at) or (
            self.is_of_kin(at)
            and not (word.flags & WORD and (shouting or not self.mid(at)))
            and not is_thing(text, word)
        ):
            self._take_all(at, self._chain(at, strong=True), alone)
            return
        if word.flags & GIVEN and KIN_AFTER.match(text, word.end):
            self.take(at, PhiPart.GIVEN)
            return
        if shouting:
            take_uppercase(self, at)
            return
        if self.is_heading(at):
            return
        plain = not word.flags & AMBIGUOUS and not is_place(word.key)
        if not plain and not self.mid(at) and self._gap(at) not in (" ", "\n", ". "):
            return
        if is_thing(text, word):
            return
        if may_be_disease(text, word):
            self.take(at, alone, "a disease or a name", hide=False)
            return
        last = self._chain(at, strong=False)
        if last > at and self._convincing(at, last):
            self._take_all(at, last, alone)
            return
        if plain and word.flags & GIVEN and not word.flags & RARE and self._unlisted_surname(at):
            self.take(at, PhiPart.GIVEN)
            self.take(at + 1, PhiPart.SURNAME, "a word after a given name")
            return
        if self.titles_around(at) or (not plain and COUNTED.match(text, word.end)):
            return
        before = word.before.rstrip(",:")
        cued = before in BY or PERSON_AFTER.match(text, word.end) is not None
        cued = cued or (plain and before in WITH)
        if cued and (plain or (word.flags & GIVEN and self.mid(at))):
            self.take(at, alone)
        elif plain and word.flags & GIVEN:
            rare = word.flags & RARE and not word.flags & COMMON
            self.take(at, PhiPart.GIVEN, "a rare given name on its own" if rare else "")
        elif plain and word.flags & COMMON:
            self.take(at, alone, "a surname on its own")
        elif cued and word.flags & WORD and self.mid(at):
            self.take(at, alone, "a word that may be a name", hide=False)

    def _unlisted_surname(self, at: int) -> bool:
        """Whether the next word can be a surname that no list has."""
        if self._gap(at) != " ":
            return False
        after = self.words[at + 1]
        spelled = self.text[after.begin : after.end]
        return (
            not after.flags
            and len(spelled) > SHORTEST
            and spelled.istitle()
            and not self.is_heading(at + 1)
            and self._gap(at + 1) not in (" ", "\n")
            and self._ends_name(at + 1)
            and not is_thing(self.text, self.words[at])
        )

    def _take_beside(self) -> None:
        """Take a word that no list has behind a name, as the last of `Thi Minh Khai`."""
        for at in [at for at, found in self.at.items() if found.hide]:
            beside = at + 1
            if beside not in self.at and self._unlisted_surname(at):
                self.take(beside, PhiPart.SURNAME, "a word after a name")

    def _unlisted(self, at: int) -> None:
        """A word that no list has is a name where nothing else can stand: after a relative."""
        word = self.words[at]
        if not self.is_of_kin(at) or not self.text[word.begin : word.end].istitle():
            return
        if self.mid(at) and not self.is_heading(at) and not self.titles_around(at):
            self.take(at, PhiPart.GIVEN, "a word after a relative")

    def _labeled(self, at: int) -> bool:
        """Whether a label such as `Attending:` stands before a word."""
        word = self.words[at]
        if not word.before.endswith(":") or self.is_heading(at):
            return False
        before = self.text[max(0, word.begin - 36) : word.begin]
        gap = before[len(before.rstrip()) :]
        # Behind an empty label the next heading follows, and headings are words.
        heading = "\n" in gap and word.flags & WORD and not word.flags & GIVEN
        return "\n\n" not in gap and not heading and LABEL.search(before) is not None

    def is_of_kin(self, at: int) -> bool:
        """Whether a relative, or who speaks for the patient, is named just before a word."""
        word = self.words[at]
        before = word.before.strip("(,:-")
        if before in KIN:
            return True
        return before in ("is", "named", "called") and (
            KIN_NAMED.search(self.text[max(0, word.begin - 36) : word.begin]) is not None
        )

    def _last_first(self, at: int) -> bool:
        """Take `Hernandez, Grace`."""
        if at + 1 >= len(self.words) or self._gap(at) not in (",", ", "):
            return False
        word, after = self.words[at], self.words[at + 1]
        if not word.flags & NAME or not after.flags & GIVEN:
            return False
        labeled = self._labeled(at)
        certain = not (word.flags | after.flags) & AMBIGUOUS and word.flags & SURNAME
        same = (
            self.text[word.begin : word.end].isupper()
            == self.text[after.begin : after.end].isupper()
        )
        if not labeled and not (certain and same and not word.flags & GIVEN):
            return False
        self.take(at, PhiPart.SURNAME)
        self.take(at + 1, PhiPart.GIVEN)
        if self.adjoins(at + 1) and len(self.words[at + 2].key) == 1:
            self.take(at + 2, PhiPart.INITIAL)
        return True

    def _convincing(self, first: int, last: int) -> bool:
        """Whether two words that may be names are one: at least one is nothing else."""
        words = self.words[first : last + 1]
        if not words[0].flags & GIVEN:
            return False
        if any(is_thing(self.text, word) for word in words):
            return False
        return any(not word.flags & AMBIGUOUS and word.flags & NAME for word in words)

    def titles_around(self, at: int) -> bool:
        """Whether a word is one of several with capitals that are no names, as in a heading."""
        neighbors = []
        if at > 0 and self._gap(at - 1) == " ":
            neighbors.append(at - 1)
        if self._gap(at) == " ":
            neighbors.append(at + 1)
        return any(
            not self.words[n].flags & NAME and n not in self.at and self.words[n].key not in TITLES
            for n in neighbors
        )
