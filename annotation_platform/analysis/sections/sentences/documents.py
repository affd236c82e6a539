"""The page of cited sentences: documents by how much of them is cited, and one of them sentence by sentence."""

from dataclasses import dataclass

from annotation_platform.analysis.explorer.item import HEAT_STEPS
from annotation_platform.analysis.explorer.keyset import KeysetPage, Order, keyset_page
from annotation_platform.analysis.models import ArticleCitations
from annotation_platform.core.text import typed_number
from annotation_platform.corpus.models import Sentence
from annotation_platform.studies.models import Study

DOCUMENTS_PER_PAGE = 15


@dataclass(frozen=True)
class WarmSentence:
    number: int
    text: str
    cited: int
    heat: int  # 0 (nobody) to HEAT_STEPS (the most that a sentence of this document is cited)


@dataclass(frozen=True)
class Documents:
    """A page of documents, the least covered first, and the one that is looked at."""

    page: KeysetPage
    listed: list[ArticleCitations]
    chosen: ArticleCitations | None
    sentences: list[WarmSentence]


def documents_cited(study: Study, aspect: str, *, article: str = "", after: str = "", before: str = "") -> Documents:
    """Documents whose text is withheld have no coverage and come by themselves, when none has its text."""
    rows = ArticleCitations.objects.filter(study=study, aspect=aspect)
    with_text = rows.filter(coverage__isnull=False)
    page = keyset_page(with_text, Order("pk", "coverage"), after=after, before=before, size=DOCUMENTS_PER_PAGE)
    if not page.keys:
        page = keyset_page(rows, Order("pk"), after=after, before=before, size=DOCUMENTS_PER_PAGE)
    by_key = {row.pk: row for row in rows.filter(pk__in=page.keys).select_related("article")}
    listed = [by_key[key] for key in page.keys]
    chosen = next((row for row in listed if str(row.article_id) == article), None)
    if chosen is None and (key := typed_number(article)) is not None:
        chosen = rows.filter(article=key).select_related("article").first()
    chosen = chosen or (listed[0] if listed else None)
    return Documents(page, listed, chosen, _warm(chosen) if chosen else [])


def _warm(chosen: ArticleCitations) -> list[WarmSentence]:
    most = max(chosen.counts.values(), default=1)
    texts = dict(Sentence.objects.filter(article=chosen.article_id).values_list("number", "text"))
    numbers = sorted(texts) or sorted(map(int, chosen.counts))
    return [
        WarmSentence(number, texts.get(number, ""), n := chosen.counts.get(str(number), 0), -(-HEAT_STEPS * n // most))
        for number in numbers
    ]
