"""The researchers' pages under a study's address, and the annotators' pages under their work, topic by topic."""

from django.urls import URLPattern, URLResolver, include, path

from annotation_platform.crowd import pages
from annotation_platform.crowd.languages import page as languages
from annotation_platform.crowd.late import page as late
from annotation_platform.crowd.pacing import page as pacing
from annotation_platform.crowd.pay import urls as pay
from annotation_platform.crowd.rounds import urls as rounds

study_urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages.first_page, name="crowd"),
    path("qualification/", include(rounds.study_urlpatterns)),
    path("release/", pacing.release, name="crowd_release"),
    path("late/", late.late, name="crowd_late"),
    path("late/<int:hit>/<int:annotator>/", late.late_judgments, name="crowd_late_judgments"),
    path("late/<int:hit>/<int:annotator>/decide/", late.decide, name="crowd_late_decide"),
    path("languages/", languages.required, name="crowd_languages"),
    path("pay/", include(pay.study_urlpatterns)),
]
work_urlpatterns: list[URLPattern | URLResolver] = [
    path("qualifications/", include(rounds.work_urlpatterns)),
    path("languages/<slug:slug>/", languages.stated, name="stated_languages"),
    path("earnings/", include(pay.work_urlpatterns)),
]
