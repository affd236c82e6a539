"""What Prolific says of a release's annotators: columns that were kept by choice and are released by choice, of those
who agreed.

Withheld unless an admin names columns for this release and says that participants agreed that they are published.
"""

from collections.abc import Iterator, Mapping, Sequence

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.providers.prolific.participants.groups import FEWEST_ANNOTATORS, groups_in
from annotation_platform.crowd.providers.prolific.participants.selectors import columns_of, kept_of, kept_of_agreeing
from annotation_platform.releases.models import Release
from annotation_platform.studies.models import Study

MOST_COLUMNS = 5  # each makes people more alone, and all combinations are looked at
PREFIX = "prolific_"

Participants = Mapping[str, Mapping[str, str]]
"""An annotator's key, as text as JSON has it → column → what stands in it."""


def columns_kept(study: Study) -> list[str]:
    """Those that a release of this study may have."""
    return columns_of(kept_of(study))


def check_columns(study: Study, columns: Sequence[str], *, agreed: bool) -> None:
    """
    Raises
    ------
    InvalidInputError
        When a column was not kept of anybody, there are too many, or nobody said that people agreed to it.
    """
    if len(columns) > MOST_COLUMNS:
        raise InvalidInputError("releases.too_many_participant_columns", most=MOST_COLUMNS)
    if columns and (unknown := [name for name in columns if name not in {*columns_kept(study)}]):
        raise InvalidInputError("releases.no_such_participant_columns", columns=unknown)
    if columns and not agreed:
        raise InvalidInputError("releases.participants_not_agreed")


def participants_of(release: Release) -> Participants:
    """What the release says of each of its annotators, as things stand now.

    Nothing of who withdrew, or has not agreed to the study's newest consent text, where it has one.
    """
    if not release.participant_columns:
        return {}
    judged = Annotation.objects.closed().filter(item__study=release.study).values("annotator")
    kept = kept_of_agreeing(release.study).filter(member__in=judged)
    found = {
        str(each.member_id): {name: each.values[name] for name in release.participant_columns if name in each.values}
        for each in kept
    }
    return {member: said for member, said in found.items() if said}


def texts_in(participants: Participants) -> Iterator[str]:
    """All that is said, each once."""
    yield from sorted({text for said in participants.values() for text in said.values()})


def in_aggregate(release: Release, annotators: int) -> Iterator[str]:
    """A line for each column: what how many annotators say. What fewer than five say is counted together."""
    said = list(release.facts.get("participants", {}).values())
    for each in groups_in(release.participant_columns, said, annotators):
        told = [f"{value} ({people:,})" for value, people in each.groups]
        told += [f"what fewer than {FEWEST_ANNOTATORS} say each ({each.few:,})"] if each.few else []
        told += [f"not said ({each.silent:,})"] if each.silent > 0 else []
        yield f"- {each.column}: {', '.join(told)}"
