"""Fine-tune an evaluator on answers with good rationales: seeded, stopped early, resumable.

The evaluator learns [r, b] → y, as in the REV paper, section 2.2. Given only that, it has never seen b alone, on which
REV asks it too; the paper's authors therefore train a second model on b → y in their program. Here one model learns
both, unless `alone` is switched off.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from annotation_platform.core.methods.rev.evaluators import Explained, context
from annotation_platform.core.methods.rev.language_models import LanguageModel, read_settings, require_extra

STATE = "state.pt"
LAST, BEST = "last", "best"

Pairs = list[tuple[list[int], list[int]]]


class TrainingError(ValueError):
    """Training cannot start or go on, with the reason."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train.

    Attributes
    ----------
    seed : int
        Draws what is held out, the order of the examples, and dropout.
    epochs : int
        At most so many times through the examples.
    patience : int
        Stop when the held-out examples have not become likelier for so many epochs.
    held_out_share : float
        Share of the items held out for that, between 0 and 1.
    learning_rate : float
    batch : int
        Examples a step.
    alone : bool
        Whether to learn b → y as well.
    frozen_layers : int
        How many of the lowest layers, with the embeddings, stay as they are: faster, and less to forget.
    bfloat16 : bool
        Multiply in 16 bits where the processor can; the weights stay in 32.
    """

    seed: int = 0
    epochs: int = 10
    patience: int = 2
    held_out_share: float = 0.1
    learning_rate: float = 5e-5
    batch: int = 8
    alone: bool = True
    frozen_layers: int = 0
    bfloat16: bool = False


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one time through the examples brought: mean loss a token, in nats, on both parts."""

    number: int
    training_loss: float
    held_out_loss: float


@dataclass(slots=True)
class _Progress:
    history: list[Epoch] = field(default_factory=list)

    @property
    def best(self) -> Epoch | None:
        return min(self.history, key=lambda epoch: epoch.held_out_loss, default=None)

    def is_over(self, settings: Settings) -> bool:
        stale = self.best is not None and len(self.history) - self.best.number >= settings.patience
        return len(self.history) >= settings.epochs or stale


def fine_tune(
    base: str | Path,
    rationales: Sequence[Explained],
    output: Path,
    settings: Settings,
    *,
    resume: bool = False,
    told: Callable[[Epoch], None] | None = None,
) -> Path:
    """Train an evaluator and write it to ``output/best``, which `LanguageModel.load` reads.

    After each epoch the state is written to ``output/last``, so that a run that was stopped can be resumed and ends
    with the same model.

    Parameters
    ----------
    base : str or Path
        The model to begin with.
    rationales : sequence of Explained
        Gold answers with good rationales.
    output : Path
        A folder of this run's own.
    settings : Settings
    resume : bool
        Go on from ``output/last``.
    told : callable, optional
        Hears of each epoch.

    Returns
    -------
    Path
        The folder of the best epoch.

    Raises
    ------
    TrainingError
        Too few items; a run is there already and `resume` is off; or there is none to resume, or one with other
        settings.
    """
    require_extra()
    import torch

    training, held_out = _split(rationales, settings)
    state = _resumed(output, settings) if resume else None
    if not resume:
        _begin(output)
    torch.manual_seed(settings.seed)
    evaluator = LanguageModel.load(output / LAST if state else base, name=f"{Path(base).name}, seed {settings.seed}")
    evaluator.ends = True
    examples = {
        name: _examples(evaluator, part, settings) for name, part in (("training", training), ("held", held_out))
    }
    optimizer = torch.optim.AdamW(_trained(evaluator, settings), lr=settings.learning_rate, weight_decay=0.0)
    progress = _Progress()
    if state:
        progress.history = [Epoch(*epoch) for epoch in state["history"]]
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
    while not progress.is_over(settings):
        number = len(progress.history) + 1
        loss = _epoch(evaluator, optimizer, examples["training"], settings, number)
        epoch = Epoch(number, loss, _loss(evaluator, examples["held"]))
        progress.history.append(epoch)
        if progress.best is epoch:
            evaluator.save(output / BEST, training=asdict(settings), base=Path(base).name, epoch=asdict(epoch))
        evaluator.save(output / LAST, training=asdict(settings), base=Path(base).name)
        history = [(each.number, each.training_loss, each.held_out_loss) for each in progress.history]
        saved = {"history": history, "optimizer": optimizer.state_dict(), "random": torch.get_rng_state()}
        torch.save(saved, output / f"{STATE}.new")
        (output / f"{STATE}.new").replace(output / STATE)
        if told:
            told(epoch)
    return output / BEST


def _split(rationales: Sequence[Explained], settings: Settings) -> tuple[list[Explained], list[Explained]]:
    """Training and held-out part; all rationales of an item stay together."""
    items = list(dict.fromkeys(each.item for each in rationales))
    n_held_out = max(1, round(settings.held_out_share * len(items)))
    if len(items) - n_held_out < 1:
        raise TrainingError(f"{len(items)} items are too few to train on some and hold out others.")
    random.Random(settings.seed).shuffle(items)
    out = set(items[:n_held_out])
    return [each for each in rationales if each.item not in out], [each for each in rationales if each.item in out]


def _begin(output: Path) -> None:
    if (output / STATE).exists():
        raise TrainingError(f"{output} has a training run already: resume it, or name another folder.")
    output.mkdir(parents=True, exist_ok=True)


def _resumed(output: Path, settings: Settings) -> dict[str, Any]:
    import torch

    if not (output / STATE).exists():
        raise TrainingError(f"There is no training run to resume in {output}.")
    before = read_settings(output / LAST).get("training", {})
    changed = sorted(
        name
        for name, value in asdict(settings).items()
        if before.get(name) != value and name not in ("epochs", "patience")
    )
    if changed:
        raise TrainingError(
            f"The run in {output} was started with another {', '.join(changed)}; keep to it, or start anew."
        )
    return dict(torch.load(output / STATE, weights_only=True))


def _examples(evaluator: LanguageModel, rationales: Sequence[Explained], settings: Settings) -> Pairs:
    texts = [(context(each.rationale, each.vacuous), each.answer) for each in rationales]
    if settings.alone:
        texts += dict.fromkeys((context("", each.vacuous), each.answer) for each in rationales)
    return [evaluator.encode(*text) for text in texts]


def _trained(evaluator: LanguageModel, settings: Settings) -> list[Any]:
    """The parameters that learn: all, or those above the frozen layers."""
    frozen = tuple(f"layers.{n}." for n in range(settings.frozen_layers)) + tuple(
        f"{name}.{n}." for name in ("h", "block") for n in range(settings.frozen_layers)
    )
    for name, parameter in evaluator.model.named_parameters():
        low = settings.frozen_layers > 0 and ("embed" in name or "wte" in name or "shared" in name)
        parameter.requires_grad_(not low and not any(f".{part}" in f".{name}" for part in frozen))
    return [parameter for parameter in evaluator.model.parameters() if parameter.requires_grad]


def _epoch(evaluator: LanguageModel, optimizer: Any, examples: Pairs, settings: Settings, number: int) -> float:
    import torch

    order = list(range(len(examples)))
    random.Random(f"{settings.seed}/{number}").shuffle(order)
    evaluator.model.train()
    total = tokens = 0.0
    for start in range(0, len(order), settings.batch):
        batch = [examples[place] for place in order[start : start + settings.batch]]
        with torch.autocast("cpu", torch.bfloat16) if settings.bfloat16 else nullcontext():
            logs = torch.cat(evaluator.token_logs(batch))
        loss = -logs.mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in evaluator.model.parameters() if p.requires_grad], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        total, tokens = total + loss.item() * len(logs), tokens + len(logs)
    return total / tokens


def _loss(evaluator: LanguageModel, examples: Pairs) -> float:
    import torch

    evaluator.model.eval()
    with torch.inference_mode():
        logs = [
            row for start in range(0, len(examples), 16) for row in evaluator.token_logs(examples[start : start + 16])
        ]
    return float(-torch.cat(logs).mean())
