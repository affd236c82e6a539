from django.urls import path

from annotation_platform.api.runs import views

_STUDY = "studies/<slug:slug>"
_ONE = f"{_STUDY}/runs/<int:pk>"
urlpatterns = [
    path(f"{_STUDY}/methods", views.Methods.as_view(), name="api_methods"),
    path(f"{_STUDY}/runs", views.Runs.as_view(), name="api_runs"),
    path(_ONE, views.OneRun.as_view(), name="api_run"),
    path(f"{_ONE}/pause", views.PauseRun.as_view(), name="api_pause_run"),
    path(f"{_ONE}/resume", views.ResumeRun.as_view(), name="api_resume_run"),
    path(f"{_ONE}/choose", views.ChooseRun.as_view(), name="api_choose_run"),
]
