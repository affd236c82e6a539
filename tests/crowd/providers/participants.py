"""Files of participants as Prolific writes them, for several tests."""

import csv
import io
from collections.abc import Sequence

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantsFile
from annotation_platform.crowd.providers.prolific.participants.services import hold_file
from tests.factories import OPERATOR

HEADER = (
    *("Submission id", "Participant id", "Status", "Custom study tncs accepted at", "Started at", "Completed at"),
    *("Reviewed at", "Archived at", "Time taken", "Completion code", "Total approvals", "Age", "Sex"),
    *("Ethnicity simplified", "Country of residence"),
)
ABOUT = HEADER[10:]
WHEN = "2026-10-25T12:27:09.179000Z"


def there(
    number: int, submission: str = "", status: str = "AWAITING REVIEW", code: str = "DONE1", about: Sequence[str] = ()
) -> list[str]:
    """The row of a person, as ``pieces.submission`` numbers them."""
    said = (*about, *("389", "25", "Female", "White", "Japan")[len(about) :])
    visit = submission or f"session{number:02}"
    person = f"5f000000000000000000{number:04}"
    return [visit, person, status, "Not Applicable", WHEN, WHEN, "", "", "1150", code, *said]


def as_export(*rows: Sequence[str], header: Sequence[str] = HEADER) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode()


def held(connection: ProlificStudy, content: bytes, name: str = "prolific_export_x.csv") -> ParticipantsFile:
    return hold_file(connection=connection, upload=SimpleUploadedFile(name, content), actor=OPERATOR)
