"""The monitor under a study's crowd, and where the page on which people annotate tells of a paste."""

from django.urls import URLPattern, path

from annotation_platform.crowd.monitor import page, pasting

study_urlpatterns: list[URLPattern] = [
    path("", page.monitor, name="monitor"),
    path("<int:pk>/", page.watched_annotator, name="watched_annotator"),
    path("<int:pk>/act/", page.act, name="act_on_annotator"),
]
work_urlpatterns: list[URLPattern] = [path("<int:pk>/<int:position>/pasted/", pasting.pasted, name="pasted")]
