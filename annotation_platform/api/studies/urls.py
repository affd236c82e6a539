from django.urls import path

from annotation_platform.api.studies import mirrors, views

urlpatterns = [
    path("studies", views.Studies.as_view(), name="api_studies"),
    path("study-check", views.CheckStudy.as_view(), name="api_study_check"),
    path("studies/<slug:slug>", views.OneStudy.as_view(), name="api_study"),
    path("studies/<slug:slug>/archive", views.ArchiveStudy.as_view(), name="api_archive_study"),
    path("studies/<slug:slug>/restore", views.RestoreStudy.as_view(), name="api_restore_study"),
    path("studies/<slug:slug>/mirrors", mirrors.Mirrors.as_view(), name="api_mirrors"),
    path("studies/<slug:slug>/scheme", views.StudyScheme.as_view(), name="api_study_scheme"),
    path("studies/<slug:slug>/judgment-schema", views.JudgmentSchema.as_view(), name="api_judgment_schema"),
]
