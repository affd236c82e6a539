"""The researchers' pages under a study's address, and the annotators' pages under their work, topic by topic."""

from django.urls import URLPattern, URLResolver, path

from annotation_platform.crowd.home import page as home

study_urlpatterns: list[URLPattern | URLResolver] = []
work_urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="work"),
]
