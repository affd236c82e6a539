"""The annotation platform from Python: put model output in, get judgments and figures out.

>>> from annotation_client import Platform
>>> study = Platform("https://annotate.example.org", token="ap_…").studies.get("owls")  # doctest: +SKIP
>>> study.judgments().to_pandas()  # doctest: +SKIP

:class:`AsyncPlatform` has the same methods to ``await``.
"""

from annotation_client._async.platform import AsyncPlatform
from annotation_client._async.rows import AsyncRows
from annotation_client._async.study import AsyncStudy
from annotation_client._sync.platform import Platform
from annotation_client._sync.rows import Rows
from annotation_client._sync.study import Study
from annotation_client.archives import verify_release
from annotation_client.errors import (
    AnnotationError,
    AnnotationWarning,
    BrokenError,
    BusyError,
    ConflictError,
    JobFailedError,
    LostAnswerError,
    Mistake,
    NotAcceptedError,
    NotThereError,
    ProblemError,
    ReleaseDiffersError,
    TokenError,
    UnreachableError,
    WaitedTooLongError,
)
from annotation_client.models import Agreement, Figure

__all__ = [
    "Agreement",
    "AnnotationError",
    "AnnotationWarning",
    "AsyncPlatform",
    "AsyncRows",
    "AsyncStudy",
    "BrokenError",
    "BusyError",
    "ConflictError",
    "Figure",
    "JobFailedError",
    "LostAnswerError",
    "Mistake",
    "NotAcceptedError",
    "NotThereError",
    "Platform",
    "ProblemError",
    "ReleaseDiffersError",
    "Rows",
    "Study",
    "TokenError",
    "UnreachableError",
    "WaitedTooLongError",
    "verify_release",
]
