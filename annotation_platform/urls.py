"""All addresses. Each app owns its own."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("annotation_platform.accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("join/", include("annotation_platform.studies.urls")),
    path("work/", include("annotation_platform.annotations.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.scoring.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.analysis.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.releases.urls")),
]
