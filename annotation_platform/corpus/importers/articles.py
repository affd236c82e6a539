"""Articles and reference documents that rows bring with them, each cut into sentences once."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from annotation_platform.core.segmentation import split_sentences
from annotation_platform.corpus.importers.cells import digest, text_of
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.spelling import list_of
from annotation_platform.corpus.importers.study import NO_DOCUMENT, ImportedArticle, Origin

MOST_CUT = 50_000  # texts that are remembered, so as not to cut them again


class ArticleReader:
    """Reads articles of one language; a text that several rows repeat is cut into sentences at its first only."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._cut: dict[bytes, str] = {}

    def article(self, said: Mapping[str, Any], origin: Origin) -> ImportedArticle:
        """The article that a row names or holds; one without name and text stands for none."""
        name, title, source, url = (
            text_of(said, field) for field in ("article_id", "article_title", "article_source", "article_url")
        )
        name, sentences = self._name_and_text(name, said.get("article"), "article")
        return ImportedArticle(name, origin, title, source, url, sentences, may_repeat=True)

    def _name_and_text(self, name: str, given: Any, column: str) -> tuple[str, Sequence[str]]:
        """An article's name and its text; one that was cut into sentences before is left blank, and not cut again."""
        key = sha256(f"{name}\n{given}".encode()).digest()
        if known := self._cut.get(key):
            return known, ()
        sentences = self._sentences(given, column) if given else []
        if len(self._cut) == MOST_CUT:
            self._cut.clear()
        name = self._cut[key] = name or (digest(*sentences) if sentences else NO_DOCUMENT)
        return name, sentences

    def document(self, given: Any, origin: Origin) -> ImportedArticle:
        """A reference document: its text, or an object with text or sentences, and perhaps id, title and url."""
        if not isinstance(given, dict):
            given = {"text": given}
        if strange := sorted(set(given) - {"id", "title", "source", "url", "text", "sentences"}):
            raise RowError("corpus.document_unknown_key", key=strange[0])
        name, title, source, url = (str(given.get(part) or "") for part in ("id", "title", "source", "url"))
        called, sentences = self._name_and_text(name, given.get("sentences") or given.get("text"), "documents")
        if called == NO_DOCUMENT and not name:
            raise RowError("corpus.document_empty")
        return ImportedArticle(called, origin, title, source, url, sentences, may_repeat=True)

    def _sentences(self, given: Any, column: str) -> list[str]:
        listed = list_of(given) if isinstance(given, list) or str(given).startswith("[") else None
        if listed is not None and len(listed) != 1:
            return [text for each in listed if each is not None and (text := str(each).strip())]
        try:
            return split_sentences(str(given if listed is None else listed[0] or ""), self._language)
        except ValueError:
            raise RowError("corpus.not_cut_into_sentences", column=column, language=self._language) from None
