from django.urls import path

from annotation_platform.api.judgments import views

urlpatterns = [
    path("studies/<slug:slug>/judgments", views.Judgments.as_view(), name="api_judgments"),
    path("studies/<slug:slug>/assignments", views.Assignments.as_view(), name="api_assignments"),
]
