"""Items that mirror each other: one person's second look at them would be no judgment of its own.

Items mirror each other when they ask the same question about the same document and the same answers: in another order,
or under other systems' names. Case and white space make no difference. A question in other words is another question.
"""

from collections import Counter, defaultdict
from functools import partial

from django.db.models import QuerySet

from annotation_platform.core.signature import signature
from annotation_platform.jobs.transactions import Write, in_short_transaction
from annotation_platform.studies.models import Candidate, Item, Study

ROWS_AT_ONCE = 1_000


def mark_mirrored(*, study: Study, write: Write = in_short_transaction) -> int:
    """Mark the items of a study that mirror others of it, so that nobody gets two such; how many there are.

    Called when items are planned, before anybody can take them.
    """
    keys = _keys(study)
    times = Counter(keys.values())
    marks = {item: key for item, key in keys.items() if times[key] > 1}
    pks = sorted(marks)
    for first in range(0, len(pks), ROWS_AT_ONCE):
        write(partial(_mark, study, {pk: marks[pk] for pk in pks[first : first + ROWS_AT_ONCE]}))
    return len(marks)


def _keys(study: Study) -> dict[int, str]:
    """What each item asks about which answers, as a digest; texts are read, but not kept."""
    answers: defaultdict[int, list[str]] = defaultdict(list)
    asked: dict[int, tuple[int, str]] = {}
    of_study: QuerySet[Candidate] = Candidate.objects.filter(study=study).order_by("pk")
    question = "item__question__"
    columns = ("item_id", f"{question}article_id", f"{question}text", "answer__text", "answer__rationale")
    for item, article, asks, text, rationale in of_study.values_list(*columns).iterator():
        asked[item] = article, _plain(asks)
        answers[item].append(signature([_plain(text), _plain(rationale)]))
    return {item: signature([*asked[item], *sorted(of_item)]) for item, of_item in answers.items()}


def _mark(study: Study, marks: dict[int, str]) -> None:
    Study.every.filter(pk=study.pk).update(has_mirrored_items=True)
    Item.objects.bulk_update((Item(pk=pk, mirror=key) for pk, key in marks.items()), ["mirror"])


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
