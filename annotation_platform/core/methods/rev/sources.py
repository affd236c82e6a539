"""Where an evaluator comes from: an installed package, a folder, a GGUF file, a model hub, or what was recorded."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from annotation_platform.core.methods.rev.evaluators import Evaluator
from annotation_platform.core.methods.rev.language_models import (
    SETTINGS,
    LanguageModel,
    ModelError,
    missing_extra,
    read_settings,
    require_extra,
)
from annotation_platform.core.methods.rev.recorded import RecordedEvaluator, recorded_files
from annotation_platform.core.methods.rev.recorded import identity as recorded_identity
from annotation_platform.core.methods.rev.weights import convert_gguf, packaged, packaged_identity
from annotation_platform.core.reasons import Reason

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_DECIDING = ("config.json", SETTINGS, "tokenizer.json", "*.safetensors", "*.bin")


@dataclass(frozen=True)
class Source:
    """A model that can be loaded.

    Attributes
    ----------
    name : str
        Stands beside its scores.
    identity : str
        Tells these weights from others of the same name: a digest, or a package with its version. The name alone
        for a model hub, which may change its weights.
    open : callable
        Makes them ready, which takes a while the first time, and returns what `LanguageModel.load` reads, or a
        recorded evaluator's file.
    is_trained : bool
        Whether it was trained on rationales; what comes from elsewhere is taken not to be.
    is_recorded : bool
    """

    name: str
    identity: str
    open: Callable[[], str | Path]
    is_trained: bool = False
    is_recorded: bool = False

    def load(self, dtype: str = "float32") -> Evaluator:
        """The evaluator itself; see `LanguageModel.load`."""
        opened = self.open()
        if self.is_recorded:
            return RecordedEvaluator(Path(opened))
        return LanguageModel.load(opened, name=self.name, dtype=dtype)


def find_source(given: str, cache: Path) -> Source:
    """The model that a person means, looked for among packages, in the cache, as a path, and at last by hub name.

    Raises
    ------
    ModelError
        The optional extra is missing, or there is no such model; the message says what there is.
    """
    if (file := dict(recorded_files(cache)).get(given)) is not None:
        return _of_recorded(given, file)
    require_extra()
    if opener := packaged(cache).get(given):
        return Source(given, packaged_identity(), opener)
    for path in (cache / given, Path(given)):
        if path.suffix == ".gguf" and path.is_file():
            return _of_file(path, cache)
        if (path / "config.json").is_file():
            return _of_folder(given, path)
    if _HUB_NAME.fullmatch(given) and not Path(given).parent.is_dir():
        return Source(given, given, lambda: given)
    known = [*known_sources(cache)] or Reason("words.none_yet")
    raise ModelError("models.unknown", name=given, known=known)


def _of_file(path: Path, cache: Path) -> Source:
    digest = _digest([path])
    return Source(path.stem, digest, lambda: convert_gguf(path, cache / f"{path.stem}-{digest[:12]}"))


def _of_folder(given: str, path: Path) -> Source:
    files = sorted(file for pattern in _DECIDING for file in path.glob(pattern))
    return Source(given, _digest(files), lambda: path, is_trained=bool(read_settings(path).get("training")))


def _of_recorded(given: str, file: Path) -> Source:
    is_trained = RecordedEvaluator(file).is_trained
    return Source(given, recorded_identity(file), lambda: file, is_trained=is_trained, is_recorded=True)


def known_sources(cache: Path) -> list[str]:
    """The models that are at hand: those in packages, then those in the cache (a trained one as ``NAME/best``), then
    recorded ones; without the optional extra only these."""
    recorded = [name for name, _ in recorded_files(cache)]
    if missing_extra():
        return recorded
    inside = [path.parent.relative_to(cache).as_posix() for path in _configs(cache)]
    return list(dict.fromkeys([*packaged(cache), *inside, *recorded]))


def _configs(cache: Path) -> Iterator[Path]:
    yield from sorted(cache.glob("*/config.json"))
    yield from sorted(cache.glob("*/best/config.json"))


def _digest(files: list[Path]) -> str:
    digest = sha256()
    for file in files:
        with file.open("rb") as content:
            digest.update(f"{file.name}:{file_digest(content, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
