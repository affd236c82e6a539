"""The description of the API: OpenAPI for programs, a page for people, and what is told where there is nothing."""

from typing import Any

from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import resolve
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from annotation_platform.api.frame.views import ApiView


@extend_schema(exclude=True)
class OpenApi(SpectacularAPIView):
    """``/api/openapi.json``; it tells nothing of anybody's data."""

    renderer_classes = [OpenApiJsonRenderer]
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []


@extend_schema(exclude=True)
class Docs(SpectacularSwaggerSplitView):
    """``/api/docs/``: everything of it comes from here, so that it works without any other server."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    url_name = "api_schema"


@extend_schema(exclude=True)
class NoAddress(ApiView):
    """Whatever else is asked for below ``/api/``."""

    permission_classes = [AllowAny]

    def get(self, request: Request) -> HttpResponseRedirect:
        raise NotFound

    post = put = patch = delete = get


@csrf_exempt  # what it leads to asks for the mark of our pages itself
def with_slash(request: HttpRequest, address: str) -> HttpResponseBase:
    """A slash at the end of an address makes no difference."""
    request.path = request.path.rstrip("/")
    request.path_info = request.path_info.rstrip("/")
    found = resolve(request.path_info)
    request.resolver_match = found
    answer: HttpResponseBase = found.func(request, *found.args, **found.kwargs)
    return answer
