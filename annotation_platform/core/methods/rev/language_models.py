"""Evaluators that are language models, causal or sequence-to-sequence, through transformers.

torch and transformers are an optional extra (requirements-models.txt). Nothing of it is imported before a model is
loaded. Models are read from a folder on this machine; a name of a model hub is passed on to transformers, which may
download it. `weights` makes such folders of GGUF files.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from annotation_platform.core.errors import CodedError
from annotation_platform.core.methods.rev.evaluators import LogLikelihoods
from annotation_platform.core.reasons import Reason

if TYPE_CHECKING:
    import torch

EXTRA = ("torch", "transformers", "accelerate", "gguf")
SETTINGS = "rev.json"
_TOKENS_AT_ONCE = 512  # more no longer fit a processor's cache
_TARGETS = 256  # tokens


class ModelError(CodedError, RuntimeError):
    """A model cannot be had, with what to do."""


def missing_extra() -> Reason | None:
    """One sentence on how to install the optional extra, or None where it is there."""
    missing = [name for name in EXTRA if find_spec(name) is None]
    if not missing:
        return None
    return Reason("models.extra_missing", missing=missing)


def require_extra() -> None:
    """Raise `ModelError` where the optional extra is not installed."""
    if reason := missing_extra():
        raise ModelError(reason)


class LanguageModel:
    """A language model as an evaluator: the likelihood of a text after another, zero-shot or fine-tuned.

    For a causal model the context and the target are one text; a sequence-to-sequence model reads the context and
    writes the target. The likelihood is in 32-bit floats whatever the weights are.

    Attributes
    ----------
    name : str
        Stands beside every score.
    ends : bool
        Whether the end-of-text token counts as the target's last. A model that was fine-tuned has learnt to end
        there; another has not.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str, ends: bool = False) -> None:
        self.model, self.tokenizer, self.name, self.ends = model, tokenizer, name, ends
        self.writes = bool(model.config.is_encoder_decoder)

    @classmethod
    def load(cls, source: str | Path, *, name: str | None = None, dtype: str = "float32") -> Self:
        """Read a model from a folder (or a hub's name), with its settings where it was fine-tuned here.

        Parameters
        ----------
        source : str or Path
        name : str, optional
            The folder's name unless given.
        dtype : {'float32', 'bfloat16'}
            bfloat16 halves memory, and time where the processor has instructions for it; where it has none, it takes
            three times as long. Scores change in the third digit.

        Raises
        ------
        ModelError
            The optional extra is missing, or there is no readable model.
        """
        require_extra()
        with quiet():
            import torch
            from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

            try:
                config = AutoConfig.from_pretrained(source)
                kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
                model = kind.from_pretrained(source, dtype=getattr(torch, dtype))
                tokenizer = AutoTokenizer.from_pretrained(source)
            except (OSError, ValueError) as error:
                raise ModelError("models.unreadable", source=source, why=error) from error
        settings = read_settings(Path(source))
        return cls(
            model.eval(),
            tokenizer,
            name=name or settings.get("name") or Path(source).name,
            ends=bool(settings.get("ends")),
        )

    def save(self, folder: Path, **settings: Any) -> None:
        """Write weights, tokenizer and settings, so that `load` gives the same evaluator."""
        with quiet():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
        settings = {"name": self.name, "ends": self.ends, **settings}
        (folder / SETTINGS).write_text(json.dumps(settings, indent=1, sort_keys=True), encoding="utf-8")

    def log_likelihood(self, contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        """How likely each target is after its context; longer ones than the model can read raise `ModelError`."""
        import torch

        pairs = [self.encode(*pair) for pair in zip(contexts, targets, strict=True)]
        totals = np.empty(len(pairs))
        self.model.eval()
        with torch.inference_mode():
            for batch in batches(pairs):
                for place, logs in zip(batch, self.token_logs([pairs[place] for place in batch]), strict=True):
                    totals[place] = min(logs.sum().item(), 0.0)
        return LogLikelihoods(totals, np.array([len(target) for _, target in pairs], dtype=np.int64))

    def encode(self, context: str, target: str) -> tuple[list[int], list[int]]:
        """Tokens of a context and of its target."""
        begin, end = self.tokenizer.bos_token_id, self.tokenizer.eos_token_id
        if self.writes:
            read = [*self._tokens(context), end]
        else:  # a causal model needs a token to go on from, also after an empty context
            read = [end if begin is None else begin, *self._tokens(context)]
        wanted = self._tokens(target if self.writes else f" {target}") + ([end] if self.ends else [])
        longest = getattr(self.model.config, "max_position_embeddings", None) or sys.maxsize
        if len(read) + len(wanted) > longest:
            raise ModelError(
                "models.context_too_long",
                name=self.name,
                longest=longest,
                context=context[:60],
                tokens=len(read) + len(wanted),
            )
        return read, wanted

    def token_logs(self, pairs: Sequence[tuple[list[int], list[int]]]) -> "list[torch.Tensor]":
        """Log-likelihood of each token of each target, with gradients where they are on."""
        import torch

        wanted = [torch.tensor(target) for _, target in pairs]
        if self.writes:
            read, mask = _padded([read for read, _ in pairs])
            labels, _ = _padded([target for _, target in pairs])
            logits = self.model(input_ids=read, attention_mask=mask, labels=labels).logits
            return [_log(logits[row, : len(target)], target) for row, target in enumerate(wanted)]
        tokens, mask = _padded([read + target for read, target in pairs])
        hidden = self.model.get_decoder()(input_ids=tokens, attention_mask=mask, use_cache=False).last_hidden_state
        before = torch.cat(
            [hidden[row, len(read) - 1 : len(read) + len(target) - 1] for row, (read, target) in enumerate(pairs)]
        )
        # All targets at once, as each time the whole vocabulary is read; but not so many that it fills the memory.
        head = self.model.get_output_embeddings()
        parts = zip(before.split(_TARGETS), torch.cat(wanted).split(_TARGETS), strict=True)
        logs = torch.cat([_log(head(part), target) for part, target in parts])
        return list(logs.split([len(target) for target in wanted]))

    def _tokens(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False).input_ids)


def batches(pairs: Sequence[tuple[list[int], list[int]]], tokens: int = _TOKENS_AT_ONCE) -> Iterator[list[int]]:
    """Places of pairs of like length, so many that they have about `tokens` tokens with their padding."""
    lengths = [len(read) + len(target) for read, target in pairs]
    batch: list[int] = []
    for place in sorted(range(len(pairs)), key=lengths.__getitem__):
        if batch and lengths[place] * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def read_settings(folder: Path) -> dict[str, Any]:
    path = folder / SETTINGS
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _log(logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
    """Log-likelihood of each token, from a row of logits for each."""
    from torch.nn.functional import cross_entropy

    return -cross_entropy(logits.float(), targets, reduction="none")


def _padded(rows: Sequence[list[int]]) -> "tuple[torch.Tensor, torch.Tensor]":
    """Rows of tokens as one tensor, filled up with 0 to the right, and what of it counts."""
    import torch

    longest = max(map(len, rows))
    tokens, mask = torch.zeros(len(rows), longest, dtype=torch.long), torch.zeros(len(rows), longest, dtype=torch.long)
    for place, row in enumerate(rows):
        tokens[place, : len(row)] = torch.tensor(row)
        mask[place, : len(row)] = 1
    return tokens, mask


@contextmanager
def quiet() -> Iterator[None]:
    """Without the progress bars and advice of transformers."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        logging.enable_progress_bar()
