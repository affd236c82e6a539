"""Small evaluators for tests: one by hand, models of random weights, which prove the path only, and a real model.

Making the real one ready takes half a minute, so it is kept for later runs; tests with it share a process.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation_platform.core.methods.rev.evaluators import LogLikelihoods
from annotation_platform.core.methods.rev.language_models import missing_extra
from annotation_platform.core.methods.rev.weights import PACKAGED, packaged
from benchmarks.rev import CACHE

SENTENCE = "where do bees live in a hive has combs answer water is wet the cat sleeps on mat"
WORDS = dict.fromkeys(SENTENCE.split())
needs_extra = pytest.mark.skipif(missing_extra() is not None, reason=str(missing_extra()))


def needs_small_model(test: Any) -> Any:
    """Mark a test that calls `small_model`."""
    missing = missing_extra() or (None if packaged(CACHE) else "No language model is installed.")
    return pytest.mark.xdist_group("local model")(pytest.mark.skipif(missing is not None, reason=str(missing))(test))


def small_model() -> Path:
    """The folder of the model that is installed with the optional extra.

    Threads that wait for a processor which another worker of pytest holds keep their own one busy, so torch is left
    with its share.
    """
    import torch

    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // workers))
    return packaged(CACHE)[PACKAGED]()


class Counting:
    """An evaluator by hand: the more of the target's words the context has, the likelier the target."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def log_likelihood(self, contexts: Any, targets: Any) -> LogLikelihoods:
        self.asked += list(zip(contexts, targets, strict=True))
        shared = [
            sum(text.count(word) for word in target.split()) for text, target in zip(contexts, targets, strict=True)
        ]
        return LogLikelihoods(-1.0 / (1 + np.array(shared)), np.array([len(target.split()) for target in targets]))


def make_tiny_model(folder: Path, kind: str = "causal") -> Path:
    """A model of a few thousand random weights with a tokeniser of its own, causal or seq2seq."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
        T5Config,
        T5ForConditionalGeneration,
    )

    torch.manual_seed(0)
    vocabulary = {word: code for code, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", ":", ".", *WORDS])}
    tokeniser = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokeniser.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    size = {"vocab_size": len(vocabulary), "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    if kind == "causal":
        layers = {"num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 64}
        model = LlamaForCausalLM(LlamaConfig(hidden_size=16, intermediate_size=32, **layers, **size))
    else:
        shape = {"d_model": 16, "d_ff": 32, "d_kv": 8, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0}
        model = T5ForConditionalGeneration(T5Config(**shape, **size))
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokeniser, **special).save_pretrained(folder)
    return folder
