# Written by client/scripts/make_sync.py from "_async"; change that.
"""The platform: its studies and schemes, and the releases that one was given."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from annotation_client._sync.connections import Connections
from annotation_client._sync.imports import Imports
from annotation_client._sync.study import Study
from annotation_client._sync.transport import Transport
from annotation_client._sync.work import Work
from annotation_client.archives import new_folder, unpacked
from annotation_client.errors import AnnotationWarning, ConflictError, NotAcceptedError, NotThereError, tell_warnings
from annotation_client.models import Corpus, GivenRelease, StudyRecord
from annotation_client.sending import body_of, in_address, key_of, scheme_of

REFUSED = (AnnotationWarning, ConflictError, NotAcceptedError, NotThereError)
"""After these there is no study: the platform said no, or the program takes warnings for errors."""


class Platform(Connections):
    """Start here.

    Parameters
    ----------
    url
        Where the platform is, such as ``https://annotate.example.org``.
    token
        From *My account → Tokens of programs*, or a study's own.
    language
        Of sentences: ``en`` or ``ja``.
    """

    def __init__(self, url: str, *, token: str, language: str = "en", seconds: float = 60.0) -> None:
        self._transport, self._path = Transport(url, token, language=language, seconds=seconds), ""
        self.studies = Studies(self._transport)
        self.imports = Imports(self._transport)
        self.work = Work(self._transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def schemes(self) -> dict[str, str]:
        """The presets: key → title."""
        reply = self._transport.get("/schemes")
        return {each["key"]: each["title"] for each in reply["results"]}

    def releases(self) -> list[GivenRelease]:
        """The releases that one may download without being in their study."""
        return [GivenRelease.model_validate(row) for row in self._transport.rows("/releases")]

    def download(self, release: GivenRelease, folder: str | Path) -> Path:
        """Download one of them into a new folder below ``folder``, and check all its files.

        Raises
        ------
        ReleaseDiffersError
            When a file is not as it was frozen.
        NotThereError
            When it was withdrawn, is under embargo, or the right was revoked.
        FileExistsError
            When that folder is there already.
        """
        where = f"/studies/{release.study}/releases/{release.number}/file"
        target = new_folder(folder, release.study, release.number)
        archive = self._transport.download(release.file or where, target.with_suffix(".zip"))
        return unpacked(archive, target, digest=release.digest, size=release.size)

    def plan(self, **design: Any) -> dict[str, Any]:
        """What a design finds and costs by stated variances, before there is a study: ``tables`` with their rows.

        Parameters
        ----------
        design
            ``articles``, ``questions``, ``annotators``, ``people``, ``systems``, ``way`` (``apart``, ``same``,
            ``together``), ``per_task``, ``pay``, ``currency``, ``minutes``, ``length`` of the scale, and standard
            deviations ``sd_articles``, ``sd_questions``, ``sd_annotators``, ``sd_residual``, ``sd_strictness``.

        Raises
        ------
        NotAcceptedError
            With each that cannot be.
        """
        found: dict[str, Any] = self._transport.get("/plan", **design)
        return found

    def check_scheme(self, scheme: str | Mapping[str, Any]) -> dict[str, Any]:
        """What is in a scheme, and the JSON Schema of its judgments.

        Raises
        ------
        NotAcceptedError
            With every mistake and its line.
        """
        found: dict[str, Any] = self._transport.post("/schemes/check", scheme_of(scheme))
        return found


class Studies:
    """``platform.studies``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> list[Study]:
        """The studies in which the token's owner is researcher or admin."""
        return [self._of(row) for row in self._transport.rows("/studies")]

    def get(self, slug: str) -> Study:
        """One of them.

        Raises
        ------
        NotThereError
            When there is none, or it is not to be seen.
        """
        return self._of(self._transport.get(f"/studies/{in_address(slug)}"))

    def create(
        self,
        name: str,
        *,
        scheme: str | Mapping[str, Any],
        items: Any = None,
        corpus: int | None = None,
        overlap: int | None = None,
        language: str = "en",
        rows_as: str = "",
        **settings: Any,
    ) -> Study:
        """Make a study of rows, with its batches planned as drafts.

        Called again with the same within a day, also by another process, it goes on where it was and makes nothing
        twice.

        Parameters
        ----------
        scheme
            The path of a YAML or JSON file, a definition, or the key of a preset.
        items
            Rows, one for each answer (:func:`annotation_client.sending.body_of`); all of them are stored, or none.
        corpus
            A corpus that is there already, instead of ``items``.
        overlap
            Judgments per item.
        rows_as
            The preset that says what a row may hold; by itself found by the scheme's key.
        settings
            ``questions_per_hit``, ``hits_per_batch``, ``time_limit_minutes``.

        Raises
        ------
        NotAcceptedError
            With each setting, line of the scheme or row that is wrong; nothing is stored then.

        Warns
        -----
        AnnotationWarning
            For each column that was left out, with how many rows say something there, and what is perhaps not meant.
        """
        asked = {"name": name, "scheme": scheme_of(scheme), **settings}
        if overlap is not None:
            asked["overlap"] = overlap
        if corpus is not None:
            return self._made(asked, corpus)
        if items is None:
            raise ValueError("Give items, or the number of a corpus.")
        checked = self._transport.post("/study-check", asked)
        stored, is_new = self._stored(name, items, rows_as or checked["rows_as"], language)
        try:
            tell_warnings(stored.warnings)
            return self._made(asked, stored.id)
        except REFUSED:
            if is_new:
                self._take_back(stored)
            raise

    def upload(self, name: str, items: Any, *, preset: str | None = None, language: str = "en") -> Corpus:
        """Store rows as a corpus; the same again within a day gives the one that is there.

        Parameters
        ----------
        preset
            The preset that says what a row may hold; otherwise ``ebr``.

        Warns
        -----
        AnnotationWarning
            As :meth:`create`.
        """
        stored, _ = self._stored(name, items, preset, language)
        tell_warnings(stored.warnings)
        return stored

    def delete_corpus(self, pk: int) -> None:
        """Delete a corpus that one stored, and that no study uses.

        Raises
        ------
        ConflictError
            When a study uses it.
        """
        self._transport.ask("DELETE", f"/corpora/{pk}")

    def _made(self, asked: Mapping[str, Any], corpus: int) -> Study:
        body = dict(sorted({**asked, "corpus": corpus}.items()))  # the same in whatever order it was said
        made, _ = self._transport.make("/studies", key=key_of(json.dumps(body)), where="/studies/{slug}", json=body)
        return self.get(made["slug"])

    def _take_back(self, corpus: Corpus) -> None:
        """Delete the corpus of a study that was refused; where another study uses it by now, it stays."""
        with suppress(ConflictError, NotThereError):
            self.delete_corpus(corpus.id)

    def _stored(self, name: str, items: Any, preset: str | None, language: str) -> tuple[Corpus, bool]:
        """The corpus of these rows, and whether it was not there before."""
        body = body_of(items)
        stored, is_new = self._transport.make(
            "/corpora",
            key=key_of(name, preset or "", language, body.content),
            where="/corpora/{id}",
            params={"name": name, "scheme": preset, "language": language},
            headers={"Content-Type": body.media_type},
            content=body.content,
        )
        return Corpus.model_validate(stored), is_new

    def corpora(self) -> list[Corpus]:
        """The corpora that one may make studies of."""
        return [Corpus.model_validate(row) for row in self._transport.rows("/corpora")]

    def _of(self, row: Mapping[str, Any]) -> Study:
        return Study(self._transport, StudyRecord.model_validate(row))
