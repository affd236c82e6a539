"""The exports of a study, under its address."""

from django.urls import path

from annotation_platform.releases import views

urlpatterns = [
    path("exports/", views.exports, name="exports"),
    path("exports/request/", views.request_export, name="request_export"),
    path("exports/<int:pk>/", views.download_export, name="download_export"),
]
