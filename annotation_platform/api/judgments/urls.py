from django.urls import path

from annotation_platform.api.judgments import views

_ASSIGNMENT = "studies/<slug:slug>/assignments/<int:pk>"
urlpatterns = [
    path("studies/<slug:slug>/judgments", views.Judgments.as_view(), name="api_judgments"),
    path("studies/<slug:slug>/assignments", views.Assignments.as_view(), name="api_assignments"),
    path(f"{_ASSIGNMENT}/extend", views.ExtendLease.as_view(), name="api_extend_lease"),
    path(f"{_ASSIGNMENT}/free", views.FreeAssignment.as_view(), name="api_free_assignment"),
]
