"""What would be handed over now: how many scores, which of them are new, and the first ones."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from annotation_platform.scoreback.destinations.contract import HumanScore
from annotation_platform.scoreback.destinations.registry import destination as program_named
from annotation_platform.scoreback.models import ScoreDestination, SentScore
from annotation_platform.scoreback.scores import scores_of, traced_candidates
from annotation_platform.scoreback.sending import digest_of
from annotation_platform.studies.models import Candidate

SHOWN = 5
MOST_COUNTED = 5_000  # scores; beyond that the page says "more than"
AT_ONCE = 500


@dataclass(frozen=True)
class Preview:
    """``counts`` by whether a score is new, changed, or there already; ``is_more``: counting ended early.

    ``traced`` answers have a trace that the program may know, ``untraced`` ones of the study have none.
    """

    traced: int
    untraced: int
    counts: Counter[str]
    examples: list[HumanScore]
    is_more: bool

    @property
    def to_send(self) -> int:
        return self.counts["new"] + self.counts["changed"]

    @property
    def there(self) -> int:
        return self.counts["there"]


def preview_of(destination: ScoreDestination) -> Preview:
    traced = traced_candidates(destination.study, destination.program).count()
    every = Candidate.objects.filter(study=destination.study).count()
    counts: Counter[str] = Counter()
    examples: list[HumanScore] = []
    for score, state in _with_states(destination):
        if counts.total() == MOST_COUNTED:
            return Preview(traced, every - traced, counts, examples, is_more=True)
        counts[state] += 1
        if state != "there" and len(examples) < SHOWN:
            examples.append(score)
    return Preview(traced, every - traced, counts, examples, is_more=False)


def _with_states(destination: ScoreDestination) -> Iterator[tuple[HumanScore, str]]:
    program = program_named(destination.program)
    scores, where = scores_of(destination), (destination.address, destination.public_key)
    while some := list(islice(scores, AT_ONCE)):
        sent = SentScore.objects.filter(destination=destination, identifier__in=[each.identifier for each in some])
        known = {row.identifier: row for row in sent.only("identifier", "address", "public_key", "digest", "state")}
        for score in some:
            row = known.get(score.identifier)
            is_same = row is not None and row.digest == digest_of(program.request(score))
            there = row is not None and row.is_at(*where) and row.state == SentScore.State.SENT
            yield score, "there" if there and is_same else "changed" if there else "new"
