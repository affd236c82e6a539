"""A file of participants beside what is here: whose each row is, and where both sides say something else."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.models import OVER, ProlificStudy, Submission, SubmissionState
from annotation_platform.crowd.providers.prolific.participants.reading import Participants, Row
from annotation_platform.crowd.providers.prolific.visits import KEY
from annotation_platform.crowd.providers.vault.identities import Known, people_of
from annotation_platform.studies.models import Assignment, AssignmentState, Member

FILE_NAME = re.compile(r"prolific_(?:demographic_)?export_([A-Za-z0-9]{6,64})\b.*", re.IGNORECASE)
ENDED_WITHOUT = (
    SubmissionState.RETURNED,
    SubmissionState.TIMED_OUT,
    SubmissionState.REJECTED,
    SubmissionState.SCREENED_OUT,
)
FINISHED = (SubmissionState.AWAITING_REVIEW, SubmissionState.APPROVED, SubmissionState.PARTIALLY_APPROVED)
NO_CODE = ("", "NOCODE")


@dataclass(frozen=True)
class Compared:
    """A row of the file, and what is known of it here.

    ``done`` counts the study's own tasks that were submitted in the visit, ``state`` is how it stands by both: what
    Prolific has told here for good, or else what the file says.
    """

    row: Row
    known: Known | None
    submission: Submission | None
    done: int
    state: SubmissionState
    has_withdrawn: bool
    findings: tuple[Reason, ...]


@dataclass(frozen=True)
class Comparison:
    """All rows in the file's order, and the submissions here that it does not have."""

    rows: list[Compared]
    absent: list[Submission]
    other_study: str

    @property
    def found(self) -> list[Compared]:
        """The rows of people who came here."""
        return [each for each in self.rows if each.known is not None]

    @property
    def differing(self) -> list[Compared]:
        return [each for each in self.rows if each.findings]


def compare(connection: ProlificStudy, participants: Participants, name: str) -> Comparison:
    """Match rows by participant, in the vault, and by submission; nothing is stored."""
    people = people_of(study=connection.study, provider=KEY, external_ids=[row.person for row in participants.rows])
    wanted = {row.submission for row in participants.rows}
    here = {each.external_id: each for each in connection.submissions.select_related("member") if each.external_id}
    times = _submitted_by([each.member_id for each in here.values()])
    gone = withdrawn_among([known.member for known in people.values()])
    rows = []
    for row in participants.rows:
        known, submission = people.get(row.person), here.get(row.submission)
        done = _done(submission, times)
        rows.append(_compared(connection, row, known, submission, done, gone))
    studies = {each.external_study for key, each in here.items() if key in wanted}
    absent = [each for key, each in here.items() if key not in wanted and each.external_study in studies]
    return Comparison(rows, sorted(absent, key=lambda each: each.pk), _other_study(connection, name))


def withdrawn_among(members: Sequence[Member]) -> set[int]:
    """Those who were removed from the study, or whose newest word to a consent text was no."""
    newest = Consent.objects.filter(member=OuterRef("pk")).order_by("-pk").values("agreed")[:1]
    found = Member.objects.filter(pk__in={member.pk for member in members}).annotate(agreed=Subquery(newest))
    return {pk for pk, user, agreed in found.values_list("pk", "user", "agreed") if user is None or agreed is False}


def _compared(
    connection: ProlificStudy,
    row: Row,
    known: Known | None,
    submission: Submission | None,
    done: int,
    gone: set[int],
) -> Compared:
    state = row.state
    if submission is not None and submission.state in OVER and known and submission.member_id == known.member.pk:
        state = SubmissionState(submission.state)
    has_withdrawn = known is not None and (known.member.pk in gone or state == SubmissionState.RETURNED)
    findings = _findings(connection, row, known, submission, done)
    if has_withdrawn:
        findings.append(Reason("crowd.there_withdrawn"))
    return Compared(row, known, submission, done, state, has_withdrawn, tuple(findings))


def _findings(
    connection: ProlificStudy, row: Row, known: Known | None, submission: Submission | None, done: int
) -> list[Reason]:
    if known is None:
        return [] if row.state in ENDED_WITHOUT and submission is None else [Reason("crowd.there_not_here")]
    if submission is None:
        return [Reason("crowd.there_other_visit")]
    if submission.member_id != known.member.pk:
        return [Reason("crowd.there_other_person", name=submission.member.pseudonym)]
    found = []
    if row.state in ENDED_WITHOUT and done:
        found.append(Reason("crowd.there_judged_but", count=done))
    if row.state in FINISHED:
        found += _of_finished(connection, row, submission, done)
    if submission.state != row.state:
        found.append(Reason("crowd.there_state_differs"))
    return found


def _of_finished(connection: ProlificStudy, row: Row, submission: Submission, done: int) -> list[Reason]:
    """Of a submission that asks for its reward: too little work, and the code."""
    found = []
    if not done:
        found.append(Reason("crowd.there_nothing_done"))
    elif done < connection.tasks_wanted:
        found.append(Reason("crowd.there_too_few", done=done, wanted=connection.tasks_wanted))
    code = row.code.strip()
    ending = next((each for each in Ending if code and connection.code(each) == code), None)
    if code.upper() in NO_CODE:
        found.append(Reason("crowd.there_no_code"))
    elif ending is None:
        found.append(Reason("crowd.there_unknown_code"))
    elif submission.ending and submission.ending != ending:
        found.append(Reason("crowd.there_other_code"))
    return found


def _submitted_by(members: Sequence[int]) -> Mapping[int, list[datetime]]:
    places = Assignment.objects.filter(annotator__in=set(members), state=AssignmentState.SUBMITTED)
    found: dict[int, list[datetime]] = defaultdict(list)
    for member, at in places.values_list("annotator", "submitted_at"):
        if member is not None and at is not None:
            found[member].append(at)
    return found


def _done(submission: Submission | None, times: Mapping[int, list[datetime]]) -> int:
    """As :func:`visits.tasks_done`, of all submissions at once."""
    if submission is None:
        return 0
    return sum(at >= submission.arrived_at for at in times.get(submission.member_id, ()))


def _other_study(connection: ProlificStudy, name: str) -> str:
    """The study that the file's name tells, where it is none of those by which people come here."""
    told = FILE_NAME.fullmatch(name)
    known = connection.external_studies
    return told[1] if told and known and told[1] not in known else ""
