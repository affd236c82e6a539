"""An evaluator whose likelihoods were recorded: what a language model said of some texts, without the model.

So a study's figures can be shown, and made again, where no model is installed. It knows nothing else.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from hashlib import file_digest, sha256
from pathlib import Path

import numpy as np

from annotation_platform.core.methods.rev.evaluators import Evaluator, LogLikelihoods
from annotation_platform.core.methods.rev.language_models import ModelError

SUFFIX = ".likelihoods.json.gz"
DIGITS = 4  # kept of a likelihood


class RecordedEvaluator:
    """Reads a file of :class:`Recorder`."""

    def __init__(self, file: Path) -> None:
        try:
            stored = json.loads(gzip.decompress(file.read_bytes()))
            self.name, self.is_trained = str(stored["name"]), bool(stored["is_trained"])
            self._known: dict[str, list[float]] = stored["likelihoods"]
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            raise ModelError("models.no_record", file=file, why=error) from error

    def log_likelihood(self, contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        """How likely each target was found after its context; ``ModelError`` for one that was never asked about."""
        try:
            rows = [self._known[_key(*pair)] for pair in zip(contexts, targets, strict=True)]
        except KeyError:
            raise ModelError("models.not_recorded", name=self.name) from None
        return LogLikelihoods(np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=np.int64))


class Recorder:
    """An evaluator that keeps what another one says."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.name, self._evaluator = evaluator.name, evaluator
        self._known: dict[str, list[float]] = {}

    def log_likelihood(self, contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        found = self._evaluator.log_likelihood(contexts, targets)
        keys = map(_key, contexts, targets)
        for key, total, tokens in zip(keys, found.totals.tolist(), found.tokens.tolist(), strict=True):
            self._known[key] = [round(total, DIGITS), tokens]
        return found

    def save(self, file: Path, *, name: str, is_trained: bool) -> None:
        stored = {"name": name, "is_trained": is_trained, "likelihoods": dict(sorted(self._known.items()))}
        file.write_bytes(gzip.compress(json.dumps(stored).encode(), mtime=0))


def recorded_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and file of each recorded evaluator in a folder."""
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        yield file.name.removesuffix(SUFFIX), file


def identity(file: Path) -> str:
    """Tells these likelihoods from others of the same name."""
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def _key(context: str, target: str) -> str:
    return sha256(f"{context}\x00{target}".encode()).hexdigest()[:24]
