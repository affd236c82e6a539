"""The scheme language for editors."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotation_platform.core.schemes.json_schema import scheme_json_schema


@require_safe
@cache_control(public=True, max_age=3600)
def scheme_schema(request: HttpRequest) -> JsonResponse:
    """The JSON Schema of scheme files, for everybody's editor."""
    return JsonResponse(
        {"$id": request.build_absolute_uri(), **scheme_json_schema()},
        content_type="application/schema+json",
        json_dumps_params={"ensure_ascii": False, "indent": 1},
    )
