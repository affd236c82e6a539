"""A release for training, and as a project of another tool."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import NDJSON
from annotation_platform.api.frame.views import ApiView, actor_of
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.releases.freeze import reading
from annotation_platform.releases.freeze.services import note_download
from annotation_platform.releases.labelers.taking import sent_for
from annotation_platform.releases.labelers.tools import TOOLS
from annotation_platform.releases.training.preferences import TrainingFormat, lines
from annotation_platform.releases.training.taking import to_train_on
from annotation_platform.server.downloads import passing
from annotation_platform.studies.selectors import study_for_reader

FORMATS = [str(each) for each in TrainingFormat]
HOW = [
    OpenApiParameter("format", str, enum=FORMATS, required=True, description="TRL's dpo, reward, kto; judge: chats."),
    OpenApiParameter("aspect", str, description="Which answer is better is said by it; chats need none."),
]
TOOL = OpenApiParameter("tool", str, OpenApiParameter.PATH, enum=[*TOOLS])


class TrainingData(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses={(200, NDJSON): OpenApiTypes.STR}, parameters=HOW, operation_id="release_training")
    def get(self, request: Request, slug: str, number: int) -> Any:
        """Rows to train on, made of a frozen release's own files, as lines of JSON."""
        release = reading.there(reading.one(study_for_reader(request.user, slug), number))
        asked = request.query_params.get("format", "")
        if asked not in FORMATS:
            raise InvalidInputError("api.choice_wrong", field="format", known=FORMATS)
        found = to_train_on(release, TrainingFormat(asked), request.query_params.get("aspect", ""))
        note_download(release=release, actor=actor_of(request))
        return passing(lines(found), content_type=NDJSON)


class ReleaseForTool(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses={(200, "application/zip"): OpenApiTypes.BINARY}, parameters=[TOOL], operation_id="release_for_tool"
    )
    def get(self, request: Request, slug: str, number: int, tool: str) -> Any:
        """A frozen release as a project of Label Studio or Argilla 2, with form, items and judgments, as a ZIP file."""
        release = reading.there(reading.one(study_for_reader(request.user, slug), number))
        return sent_for(release, tool, actor=actor_of(request))
