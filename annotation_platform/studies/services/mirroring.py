"""Items that mirror each other: one person's second look at them would be no judgment of its own.

Items mirror each other when they ask the same question about the same document and the same answers: in another order,
or under other systems' names. Case and white space make no difference. A question in other words is another question,
unless a researcher declares that it mirrors one: of this study, or of another one that asks about the same answers in
another form or corpus.
"""

import secrets
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.signature import signature
from annotation_platform.jobs.transactions import Write, in_short_transaction
from annotation_platform.studies.models import DECLARED, Candidate, Item, Study

ROWS_AT_ONCE = 1_000


def mark_mirrored(*, study: Study, write: Write = in_short_transaction) -> int:
    """Mark the items of a study that mirror others of it, so that nobody gets two such; how many there are.

    Called when items are planned, before anybody can take them.
    """
    marks = _mirrored(study)
    pks = sorted(marks)
    for first in range(0, len(pks), ROWS_AT_ONCE):
        write(partial(_mark, study, {pk: marks[pk] for pk in pks[first : first + ROWS_AT_ONCE]}))
    return len(marks)


class MirrorRow(NamedTuple):
    """An item and its group, by the names that the corpus has; without a system, all items of the question."""

    line: int
    article: str
    question: str
    system: str
    group: str


@transaction.atomic
def declare_mirrored(*, study: Study, rows: Sequence[MirrorRow], shared_with: Study | None = None, actor: Actor) -> int:
    """Declare which items of a study mirror each other, in place of what was declared before; how many they are.

    Items of one group are for one person once. Groups of the same name in studies that share theirs are one group, so
    that who judged an item in one of them does not get its mirror in another.

    Raises
    ------
    InvalidInputError
        With a reason for each row that names no item of the study, or one that is in another group.
    """
    if not rows:
        raise InvalidInputError("studies.mirrors_empty")
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    groups = _groups(study, rows)
    shared = study.pk
    if shared_with is None and Study.every.filter(mirror_set=study.pk).exclude(pk=study.pk).exists():
        shared = secrets.randbits(62)  # others have its number, since they declared theirs together with it
    if shared_with is not None:
        shared = Study.objects.select_for_update(no_key=True).get(pk=shared_with.pk).mirror_set or shared_with.pk
        Study.objects.filter(pk=shared_with.pk).update(mirror_set=shared)
    Study.objects.filter(pk=study.pk).update(mirror_set=shared)
    Item.objects.filter(study=study, mirror__startswith=DECLARED).update(mirror="")
    mark_mirrored(study=study)  # what mirrors another one by its words goes with it into its group
    words = dict(Item.objects.filter(study=study).exclude(mirror="").values_list("pk", "mirror"))
    marks = {item: f"{DECLARED}{signature([shared, group])[:48]}" for item, group in groups.items()}
    by_words = {words[item]: mark for item, mark in marks.items() if item in words}
    marks = {item: by_words[key] for item, key in words.items() if key in by_words} | marks
    pks = sorted(marks)
    for first in range(0, len(pks), ROWS_AT_ONCE):
        _mark(study, {pk: marks[pk] for pk in pks[first : first + ROWS_AT_ONCE]})
    record(actor, Verb.STUDY_CHANGED, study, study=study, change={"mirrored_items": (None, len(marks))})
    study.refresh_from_db()
    return len(marks)


class Declared(NamedTuple):
    """What was declared: of how many items in how many groups, and a digest that is another one once it is changed."""

    items: int
    groups: int
    digest: str


def declared_mirrors(study: Study) -> Declared:
    """The items of a study that a researcher declared to mirror others, as they are now."""
    marks = Item.objects.filter(study=study, mirror__startswith=DECLARED).order_by("pk").values_list("pk", "mirror")
    digest, groups = sha256(str(study.mirror_set).encode()), Counter[str]()
    for pk, mark in marks.iterator(chunk_size=ROWS_AT_ONCE):
        digest.update(f"{pk} {mark}\n".encode())
        groups[mark] += 1
    return Declared(groups.total(), len(groups), digest.hexdigest())


def _groups(study: Study, rows: Sequence[MirrorRow]) -> dict[int, str]:
    """Item → its group."""
    items: defaultdict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    names = ("item", "item__question__article__external_id", "item__question__external_id", "answer__system__name")
    for item, article, question, system in Candidate.objects.filter(study=study).values_list(*names).iterator():
        items[article, question].append((item, system))
    groups: dict[int, str] = {}
    reasons: list[str] = []
    for row in rows:
        found = {item for item, system in items[row.article, row.question] if row.system in ("", system)}
        if not found:
            reasons.append(Reason("studies.mirror_unknown", line=row.line))
        elif any(groups.get(item, row.group) != row.group for item in found):
            reasons.append(Reason("studies.mirror_twice", line=row.line))
        groups |= dict.fromkeys(found, row.group)
    if reasons:
        raise InvalidInputError("studies.mirrors_wrong", reasons=reasons)
    return groups


def _mirrored(study: Study) -> dict[int, str]:
    """Item → a digest of what it asks about which answers, of those items that share theirs with another one.

    Items mirror others about their own document only, so they are read document by document, and no more is kept.
    """
    of_study: QuerySet[Candidate] = Candidate.objects.filter(study=study)
    article = "item__question__article_id"
    columns = (article, "item_id", "item__question__text", "answer__text", "answer__rationale")
    rows = of_study.order_by(article, "item_id").values_list(*columns).iterator()
    marks: dict[int, str] = {}
    for about, of_article in groupby(rows, key=itemgetter(0)):
        keys = {item: _key(about, [*of_item]) for item, of_item in groupby(of_article, key=itemgetter(1))}
        times = Counter(keys.values())
        marks |= {item: key for item, key in keys.items() if times[key] > 1}
    return marks


def _key(article: int, rows: Sequence[tuple[int, int, str, str, str]]) -> str:
    """A digest of an item, one row for each of its answers."""
    answers = sorted(signature([_plain(text), _plain(rationale)]) for *_, text, rationale in rows)
    return signature([article, _plain(rows[0][2]), *answers])


def _mark(study: Study, marks: dict[int, str]) -> None:
    Study.every.filter(pk=study.pk).update(has_mirrored_items=True)
    Item.objects.bulk_update((Item(pk=pk, mirror=key) for pk, key in marks.items()), ["mirror"])


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
