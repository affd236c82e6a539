"""The researchers' pages under a study's address, and the annotators' pages under their work, topic by topic."""

from django.urls import URLPattern, URLResolver, include, path

from annotation_platform.crowd import pages
from annotation_platform.crowd.adjudication import urls as adjudication
from annotation_platform.crowd.monitor import urls as monitor
from annotation_platform.crowd.review import urls as review
from annotation_platform.crowd.rounds import urls as rounds

study_urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages.first_page, name="crowd"),
    path("monitor/", include(monitor.study_urlpatterns)),
    path("review/", include(review.study_urlpatterns)),
    path("adjudication/", include(adjudication.study_urlpatterns)),
    path("qualification/", include(rounds.study_urlpatterns)),
]
work_urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(monitor.work_urlpatterns)),
    path("submissions/", include(review.work_urlpatterns)),
    path("qualifications/", include(rounds.work_urlpatterns)),
]
