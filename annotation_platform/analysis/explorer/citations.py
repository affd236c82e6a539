"""How often each sentence of every document is cited, added up block by block."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from annotation_platform.analysis.explorer import reading as reads
from annotation_platform.analysis.models import ArticleCitations
from annotation_platform.core.citations import TURNS
from annotation_platform.studies.models import Study


class CitedDocuments:
    """Under each aspect that asks for sentences: the documents that judgments were about, and what they cite there."""

    def __init__(self, study: Study) -> None:
        self._study, self._aspects = study, study.scheme().sentences_aspects
        self._lengths: dict[int, int] = {}
        self._judgments: dict[str, Counter[int]] = {aspect.key: Counter() for aspect in self._aspects}
        self._sentences: dict[str, dict[int, Counter[int]]] = {aspect.key: {} for aspect in self._aspects}

    def read(self, block: reads.ItemBlock) -> list[reads.Citations]:
        """What the judgments of a further block cite, under each aspect."""
        if not self._aspects:
            return []
        documents = reads.documents_of(block)
        self._lengths.update(zip(documents.articles.tolist(), documents.lengths.tolist(), strict=True))
        found = []
        for aspect in self._aspects:
            cited = reads.read_citations(block, aspect)
            self._add(aspect.key, documents, cited)
            found.append(cited)
        return found

    def _add(self, aspect: str, documents: reads.Documents, cited: reads.Citations) -> None:
        items, judgments = np.unique(cited.items, return_counts=True)
        shown = np.flatnonzero(np.isin(documents.items, items))
        of_document = judgments[np.searchsorted(items, documents.items[shown])]
        for article, n in zip(documents.articles[shown].tolist(), of_document.tolist(), strict=True):
            self._judgments[aspect][article] += n
        in_documents = np.flatnonzero(cited.documents < TURNS)
        numbers = cited.sentences[in_documents]
        items = cited.items[cited.owners[in_documents]]
        articles = documents.articles[documents.places(items, cited.documents[in_documents])]
        width = int(numbers.max(initial=0)) + 1
        sentences, counts = np.unique(articles * width + numbers, return_counts=True)
        for article, sentence, n in zip(
            (sentences // width).tolist(), (sentences % width).tolist(), counts.tolist(), strict=True
        ):
            self._sentences[aspect].setdefault(article, Counter())[sentence] += n

    def rows(self) -> Iterator[ArticleCitations]:
        """The counts of each document, by aspect and document."""
        for aspect, judgments in self._judgments.items():
            for article in sorted(judgments):
                counts, length = self._sentences[aspect].get(article, Counter()), self._lengths[article]
                yield ArticleCitations(
                    study=self._study,
                    article_id=article,
                    aspect=aspect,
                    judgments=judgments[article],
                    citations=counts.total(),
                    cited=len(counts),
                    coverage=len(counts) / length if length else None,
                    counts={str(number): counts[number] for number in sorted(counts)},
                )
