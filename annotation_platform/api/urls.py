"""All addresses of the API, topic by topic, and what is said of them."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from annotation_platform.api import documents
from annotation_platform.api.schemes import urls as schemes
from annotation_platform.api.studies import urls as studies

TOPICS = (schemes, studies)
v1: list[URLPattern | URLResolver] = [pattern for topic in TOPICS for pattern in topic.urlpatterns]
urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", include(v1)),
    path("openapi.json", documents.OpenApi.as_view(), name="api_schema"),
    path("docs/", documents.Docs.as_view(), name="api_docs"),
    re_path("", documents.NoAddress.as_view(), name="api_no_address"),
]
