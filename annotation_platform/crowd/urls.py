"""The researchers' pages under a study's address, and the annotators' pages under their work, topic by topic."""

from django.urls import URLPattern, URLResolver, include, path

from annotation_platform.crowd import pages
from annotation_platform.crowd.home import own_data_page as own_data
from annotation_platform.crowd.home import page as home
from annotation_platform.crowd.rounds import urls as rounds
from annotation_platform.crowd.talk import urls as talk

study_urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages.first_page, name="crowd"),
    path("", include(talk.study_urlpatterns)),
    path("qualification/", include(rounds.study_urlpatterns)),
]
work_urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="work"),
    path("my-data/", own_data.my_data, name="my_data"),
    path("my-data/download/", own_data.download_my_data, name="download_my_data"),
    path("leave/<slug:slug>/", own_data.leave, name="leave_study"),
    path("", include(talk.work_urlpatterns)),
    path("qualifications/", include(rounds.work_urlpatterns)),
]
