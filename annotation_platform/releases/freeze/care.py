"""What is looked for before a freeze: texts that may say who somebody is, and groups too small to hide in."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice, pairwise
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from annotation_platform import __version__
from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import Scheme, TextAspect
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE
from annotation_platform.crowd.providers.prolific.participants.groups import FEWEST_ANNOTATORS
from annotation_platform.releases.freeze.adjudications import texts_of, written_in
from annotation_platform.releases.freeze.participants import texts_in
from annotation_platform.releases.freeze.resemblance import Traits, small_groups, traits_of
from annotation_platform.releases.models import BETWEEN_TRAITS, Finding, Release
from annotation_platform.server.copied import can_copy, copied_texts
from annotation_platform.studies.models import Member, Study

Kind = Finding.Kind
SHORTEST_NAME, SHORTEST_UNSPACED, LONGEST = 4, 2, 300
AROUND = 60
# Letters of scripts that set no blanks between words, or none between a name and what follows it, such as Korean.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
IS_UNSPACED, ALL_UNSPACED = re.compile(f"[{UNSPACED}]"), re.compile(rf"[{UNSPACED}\W]+")
SPACED = rf"[^\W{UNSPACED}]"  # letters of the others
NO_LETTER_BEFORE, NO_LETTER_AFTER = f"(?<!{SPACED})", f"(?!{SPACED})"
# Kana, kanji and the like are no boundary: what is looked for stands among them without a blank.
NO_WORD_BEFORE, NO_WORD_AFTER = r"(?<![0-9A-Za-z_])", r"(?![0-9A-Za-z_])"
PATTERNS = {
    Kind.EMAIL: re.compile(rf"(?:{SPACED}|[.+-]){{1,64}}@(?:{SPACED}|-){{1,63}}(?:\.(?:{SPACED}|-){{1,63}}){{1,8}}"),
    Kind.WEB: re.compile(NO_WORD_BEFORE + r"(?:https?://|www\.)[^\s<>\"“”「」、。]{3,200}"),
    Kind.PLATFORM_ID: re.compile(NO_WORD_BEFORE + r"(?:A[0-9A-Z]{12,13}|[0-9a-f]{24})" + NO_WORD_AFTER),
    Kind.PHONE: re.compile(r"(?<![\dA-Za-z_.,])(?:\+|00)\d{1,3}[ ()/.-]{0,2}(?:\d[ ()/.-]?){6,12}\d(?![\dA-Za-z_])"),
}
WORD = re.compile(r"\w+")
ASCII_WORDS = bytes(ord(each) if WORD.match(each) else ord(" ") for each in map(chr, range(128))).ljust(256)
TEXTS_AT_ONCE = 100
ALSO_LETTERS = re.compile("[\u0130\u0131\u017f\u212a]")  # which a pattern that ignores case takes for i, s and k
ID_LENGTHS = {13, 14, 24}
DIALLED = re.compile(r"(?:\+|00)\d")
MOST_PATTERNS = 1_000
# Whether a text may have something of a kind, by its ASCII words: told sooner than by the pattern.
MAY_HAVE: Mapping[Kind, Callable[[str, Collection[str]], bool]] = {
    Kind.EMAIL: lambda text, words: "@" in text,
    Kind.WEB: lambda text, words: "://" in text or "www." in text,
    Kind.PLATFORM_ID: lambda text, words: any(
        len(word) in ID_LENGTHS and PATTERNS[Kind.PLATFORM_ID].fullmatch(word) for word in words
    ),
    Kind.PHONE: lambda text, words: ("+" in text or "00" in text) and DIALLED.search(text) is not None,
}


@dataclass
class Mentions:
    """A text that was found, in how many judgments, and where first."""

    times: int = 0
    example: str = ""


def people_in(release: Release) -> dict[int, Traits]:
    """What tells each annotator from the others."""
    return traits_of(release.study, release.facts["participants"], release.participant_columns)


def signatures_of(release: Release, people: Mapping[int, Traits]) -> dict[str, str]:
    """Digests of what `look_through` goes by: of everything, its own rules among it, and of the people alone. With
    another one it may find something else."""
    rules = __version__, [pattern.pattern for pattern in PATTERNS.values()]
    everything = release.facts, release.database_state, _names_of(release.study), people, rules
    return {"everything": _digest(everything), "people": _digest(people)}


def _digest(of: Any) -> str:
    return sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()


def look_through(release: Release, people: Mapping[int, Traits]) -> dict[tuple[Kind, str], Mentions]:
    """All that may say who somebody is, in the free texts of the closed batches' current judgments and decisions, and
    in the researchers' own words: of the release, about the study, its pay, consent, rounds and scheme; and in what the
    release's ``facts`` say of participants.

    E-mail and web addresses, telephone numbers with their country's code, identifiers as crowd platforms make them,
    names and addresses of the study's accounts, pseudonyms that annotators have in the study; and groups of annotators
    too small to hide in. What no pattern tells, such as a name that has no account, is for people to read; so are the
    reasons that staff wrote to those whom they excluded, or whose task they rejected.
    """
    found: dict[tuple[Kind, str], Mentions] = {}
    study, facts = release.study, release.facts
    names = _Names(_names_of(study))
    texts = chain(_own_words(release, facts), texts_in(facts["participants"]), _texts(study))
    while some := list(islice(texts, TEXTS_AT_ONCE)):
        for text, kind, said in _mentions_in(some, names):
            entry = found.setdefault((kind, said[:LONGEST]), Mentions())
            entry.times += 1
            entry.example = entry.example or _around(text, said)
    for reason, times in (*facts["excluded_because"], *facts["rejected_because"]):
        found.setdefault((Kind.REASON, reason[:LONGEST]), Mentions()).times += times
    return found | _small_groups(people)


def _small_groups(people: Mapping[int, Traits]) -> dict[tuple[Kind, str], Mentions]:
    """So few annotators, or such combinations of traits that few share them; ``times`` counts the annotators."""
    if 0 < len(people) < FEWEST_ANNOTATORS:
        return {(Kind.FEW, str(len(people))): Mentions(len(people))}
    small = small_groups(people, FEWEST_ANNOTATORS)
    return {(Kind.GROUP, BETWEEN_TRAITS.join(each.traits)): Mentions(each.people, each.words) for each in small}


def _mentions_in(texts: Sequence[str], names: "_Names") -> Iterator[tuple[str, Kind, str]]:
    """What each text says, once, beside the text. Most texts say nothing of the kind, and so do all of them together,
    which is found out much sooner: nothing that is looked for has a line feed."""
    together = "\n".join(texts)
    words = _words_of(together)
    if any(may_have(together, words) for may_have in MAY_HAVE.values()) or names.that_may_be_in(together, words):
        for text in texts:
            yield from ((text, kind, said) for kind, said in dict.fromkeys(_said_in(text, names)))


def _said_in(text: str, names: "_Names") -> Iterator[tuple[Kind, str]]:
    words = _words_of(text)
    for kind, pattern in PATTERNS.items():
        if MAY_HAVE[kind](text, words):
            yield from ((kind, match.group().rstrip(".,;")) for match in pattern.finditer(text))
    if (any_name := names.that_may_be_in(text, words)) is not None:
        said = (match.group() for match in any_name.finditer(text))
        yield from ((names.kinds.get(each.casefold(), Kind.ACCOUNT), each) for each in said)


def _words_of(text: str) -> set[str]:
    """Runs of ASCII letters, digits and low lines: many times sooner than ``WORD`` finds words."""
    return set(text.encode(errors="replace").translate(ASCII_WORDS).decode().split())


class _Names:
    """Names that are looked for in texts; ``kinds``: each in lower case → what it is.

    To try thousands of names at each place of a text takes long, so only those are tried of which a part is in it: the
    longest word, or two letters of it where it has others than ASCII's, since such a word may have no blanks around it.
    """

    def __init__(self, kinds: dict[str, Kind]) -> None:
        self.kinds = kinds
        self._by_part: dict[str, list[str]] = defaultdict(list)
        for name in kinds:
            self._by_part[_part_of(name)].append(name)
        self._all_are_ascii = all(part.isascii() for part in self._by_part)
        self._known: dict[frozenset[str], re.Pattern[str] | None] = {}

    def that_may_be_in(self, text: str, words: Collection[str]) -> re.Pattern[str] | None:
        plain = text.isascii()
        if not plain and ALSO_LETTERS.search(text):  # folded, they are other letters than a pattern takes them for
            there = frozenset(self._by_part)
        else:
            parts = {"", *map(str.lower, words)}
            if not (plain or self._all_are_ascii):
                folded = text.casefold()
                parts.update(folded, map("".join, pairwise(folded)))
            there = frozenset(self._by_part.keys() & parts)
        if there not in self._known:
            if len(self._known) == MOST_PATTERNS:
                self._known.clear()
            self._known[there] = _any_of(name for part in there for name in self._by_part[part])
        return self._known[there]


def _part_of(name: str) -> str:
    """A part of a name that is in every text which has the name."""
    word = max(WORD.findall(name), key=len, default="")
    return word if word.isascii() else next((a + b for a, b in pairwise(word) if not (a + b).isascii()), word)


def _names_of(study: Study) -> dict[str, Kind]:
    """Names by which somebody in the study could be recognised, in lower case."""
    names: dict[str, Kind] = {}
    for member in Member.objects.filter(study=study).select_related("user", "former_user"):
        names[member.pseudonym.casefold()] = Kind.PSEUDONYM
        for user in filter(None, (member.user, member.former_user)):
            names |= {part.casefold(): Kind.ACCOUNT for part in (user.email, _with_plain_blanks(user))}
    return {name: kind for name, kind in names.items() if len(name) >= _shortest(name)}


def _with_plain_blanks(user: User) -> str:
    """The full name; a Japanese keyboard's blank is another character."""
    return " ".join(user.get_full_name().split())


def _shortest(name: str) -> int:
    """How long a name has to be to be looked for: one of kanji says in two what others say in four."""
    return SHORTEST_UNSPACED if ALL_UNSPACED.fullmatch(name) else SHORTEST_NAME


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    longest_first = sorted(names, key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile("|".join(map(_as_pattern, longest_first)), re.IGNORECASE)


def _as_pattern(name: str) -> str:
    """A name by itself, not within a longer word; one of kanji may be within what seems one, or have no blank."""
    before = "" if IS_UNSPACED.match(name[0]) else NO_LETTER_BEFORE
    after = "" if IS_UNSPACED.match(name[-1]) else NO_LETTER_AFTER
    blank = r"[ \u3000]?" if ALL_UNSPACED.fullmatch(name) else r"\ "
    return f"{before}{blank.join(map(re.escape, name.split(' ')))}{after}"


def _own_words(release: Release, facts: Mapping[str, Any]) -> Iterator[str]:
    """What researchers wrote that the release's files will say; not its authors, who are to be named."""
    study = release.study
    yield from (release.title, release.description, study.name, study.about, study.pay)
    yield from (title for title, _ in facts["rounds"])
    for consent in facts["consents"]:
        yield from map(str, consent["texts"].values())
    yield from _in(study.scheme_version.definition)


def _in(definition: Any) -> Iterator[str]:
    if isinstance(definition, str):
        yield definition
    elif isinstance(definition, dict | list):
        for each in definition.values() if isinstance(definition, dict) else definition:
            yield from _in(each)


def _texts(study: Study) -> Iterator[str]:
    keys = text_keys(study.scheme())
    judgments = Annotation.objects.closed().filter(item__study=study).order_by()  # sorting them is half of the wait
    as_text = judgments.annotate(written=Cast("values", TextField())).values_list("written", flat=True)
    values = copied_texts(as_text, "written") if can_copy() else as_text.iterator()
    while some := list(islice(values, TEXTS_AT_ONCE)):
        for each in json.loads(f"[{','.join(some)}]"):  # a call for each takes twice as long
            for key, value in each.items():
                if key.partition(".")[0] in keys:
                    yield from written_in(value)
    yield from texts_of(study, keys)


def text_keys(scheme: Scheme) -> set[str]:
    """Under which keys of a judgment, up to a full stop, people write what they like."""
    written = (each.key for each in scheme.aspects if isinstance(each, TextAspect) or getattr(each, "notes", False))
    return {*written, CANNOT_JUDGE}


def _around(text: str, said: str) -> str:
    start = max(text.find(said) - AROUND, 0)
    end = start + len(said) + 2 * AROUND
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
