from django.urls import path

from annotation_platform.api.scoreback import views

_ALL = "studies/<slug:slug>/score-destinations"
_ONE = f"{_ALL}/<slug:program>"
urlpatterns = [
    path(_ALL, views.Destinations.as_view(), name="api_score_destinations"),
    path(_ONE, views.OneDestination.as_view(), name="api_score_destination"),
    path(f"{_ONE}/preview", views.PreviewOfScores.as_view(), name="api_score_preview"),
    path(f"{_ONE}/send", views.SendScores.as_view(), name="api_send_scores"),
    path(f"{_ONE}/stop", views.StopSending.as_view(), name="api_stop_sending"),
    path(f"{_ONE}/scores", views.SentScores.as_view(), name="api_sent_scores"),
]
