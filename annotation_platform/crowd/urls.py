"""The researchers' pages under a study's address, and the annotators' pages under their work, topic by topic."""

from django.urls import URLPattern, URLResolver, include, path

from annotation_platform.crowd.home import page as home
from annotation_platform.crowd.talk import urls as talk

study_urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(talk.study_urlpatterns)),
]
work_urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="work"),
    path("", include(talk.work_urlpatterns)),
]
