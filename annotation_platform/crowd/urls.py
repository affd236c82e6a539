"""The researchers' pages under a study's address, the annotators' pages under their work, and pages of their own."""

from django.urls import URLPattern, URLResolver, include, path

from annotation_platform.crowd import pages
from annotation_platform.crowd.adjudication import urls as adjudication
from annotation_platform.crowd.checks import urls as checks
from annotation_platform.crowd.consent import page as consent
from annotation_platform.crowd.consent import reading_page
from annotation_platform.crowd.home import leaving_page
from annotation_platform.crowd.home import page as home
from annotation_platform.crowd.home.takeout import page as takeout
from annotation_platform.crowd.languages import page as languages
from annotation_platform.crowd.late import page as late
from annotation_platform.crowd.monitor import urls as monitor
from annotation_platform.crowd.pacing import page as pacing
from annotation_platform.crowd.pay import urls as pay
from annotation_platform.crowd.providers import page as providers
from annotation_platform.crowd.providers.prolific import hooks, visiting
from annotation_platform.crowd.providers.prolific import page as prolific
from annotation_platform.crowd.providers.prolific.participants import page as participants
from annotation_platform.crowd.providers.results_file import page as results_file
from annotation_platform.crowd.review import urls as review
from annotation_platform.crowd.rounds import urls as rounds
from annotation_platform.crowd.talk import urls as talk

study_urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages.overview, name="crowd"),
    path("monitor/", include(monitor.study_urlpatterns)),
    path("review/", include(review.study_urlpatterns)),
    path("adjudication/", include(adjudication.study_urlpatterns)),
    path("", include(talk.study_urlpatterns)),
    path("qualification/", include(rounds.study_urlpatterns)),
    path("checks/", include(checks.study_urlpatterns)),
    path("release/", pacing.release, name="crowd_release"),
    path("late/", late.late, name="crowd_late"),
    path("late/<int:hit>/<int:annotator>/", late.late_judgments, name="crowd_late_judgments"),
    path("late/<int:hit>/<int:annotator>/decide/", late.decide, name="crowd_late_decide"),
    path("languages/", languages.required, name="crowd_languages"),
    path("pay/", include(pay.study_urlpatterns)),
    path("sources/", providers.sources, name="sources"),
    path("sources/<int:pk>/erase/", providers.erase, name="erase_person"),
    path("sources/prolific/", prolific.prolific, name="prolific"),
    path("sources/prolific/submissions/<int:pk>/", prolific.submission, name="prolific_submission"),
    path("sources/prolific/orders/<int:pk>/", prolific.settle_call, name="settle_call"),
    path("sources/prolific/new/", prolific.new_prolific_study, name="new_prolific_study"),
    path("sources/prolific/orders/<int:pk>/publish/", prolific.publish_prolific_study, name="publish_prolific_study"),
    path("sources/prolific/participants/", participants.participants, name="prolific_participants"),
    path("sources/prolific/participants/kept.csv", participants.kept_table, name="prolific_participants_table"),
    path("sources/prolific/participants/<int:pk>/", participants.participants_file, name="prolific_participants_file"),
    path("sources/results/", results_file.imported_work, name="imported_work"),
    path("consent/", consent.consent_texts, name="consent_texts"),
]
work_urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(monitor.work_urlpatterns)),
    path("submissions/", include(review.work_urlpatterns)),
    path("consent/<slug:slug>/", reading_page.consent, name="consent"),
    path("finish/<slug:slug>/", visiting.leaving, name="prolific_leaving"),
    path("languages/<slug:slug>/", languages.stated, name="stated_languages"),
    path("earnings/", include(pay.work_urlpatterns)),
    path("", home.home, name="work"),
    path("my-data/", takeout.my_data, name="my_data"),
    path("my-data/ask/", takeout.ask_for_my_data, name="ask_for_my_data"),
    path("my-data/<int:pk>/", takeout.download_my_data, name="download_my_data"),
    path("leave/<slug:slug>/", leaving_page.leave_page, name="leave_study"),
    path("", include(talk.work_urlpatterns)),
    path("qualifications/", include(rounds.work_urlpatterns)),
    path("notes/", include(checks.work_urlpatterns)),
]
open_urlpatterns: list[URLPattern | URLResolver] = [
    path("join/prolific/<str:token>/", visiting.arriving, name="prolific_arriving"),
    path("hooks/prolific/<str:token>/", hooks.hook, name="prolific_hook"),
    path("results-files/", results_file.read_file, name="read_results_file"),
    path("results-files/<int:pk>/", results_file.file_read, name="results_file_read"),
]
