"""All addresses of the API, topic by topic, and what is said of them."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from annotation_platform.api import documents
from annotation_platform.api.batches import urls as batches
from annotation_platform.api.corpora import urls as corpora
from annotation_platform.api.crowd import urls as crowd
from annotation_platform.api.events import urls as events
from annotation_platform.api.exports import urls as exports
from annotation_platform.api.figures import urls as figures
from annotation_platform.api.imports import urls as imports
from annotation_platform.api.items import urls as items
from annotation_platform.api.jobs import urls as jobs
from annotation_platform.api.judgments import urls as judgments
from annotation_platform.api.members import urls as members
from annotation_platform.api.releases import urls as releases
from annotation_platform.api.runs import urls as runs
from annotation_platform.api.schemes import urls as schemes
from annotation_platform.api.scoreback import urls as scoreback
from annotation_platform.api.studies import urls as studies
from annotation_platform.api.webhooks import urls as webhooks
from annotation_platform.api.work import urls as work

TOPICS = (
    *(schemes, corpora, imports, studies, batches, items, judgments, members, events, work),
    *(runs, figures, exports, releases, scoreback, jobs, webhooks, crowd),
)
v1: list[URLPattern | URLResolver] = [pattern for topic in TOPICS for pattern in topic.urlpatterns]
urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", include(v1)),
    re_path("^v1/(?P<address>.+)/$", documents.with_slash),
    path("openapi.json", documents.OpenApi.as_view(), name="api_schema"),
    path("docs/", documents.Docs.as_view(), name="api_docs"),
    re_path("", documents.NoAddress.as_view(), name="api_no_address"),
]
