"""Sending scores back, below a study's exports."""

from django.urls import path

from annotation_platform.scoreback import page

urlpatterns = [
    path("exports/scores-back/", page.scores_back, name="scores_back"),
    path("exports/scores-back/<slug:program>/", page.score_destination, name="score_destination"),
    path("exports/scores-back/<slug:program>/sending/", page.change_score_sending, name="change_score_sending"),
]
