from django.urls import path

from annotation_platform.imports import views

urlpatterns = [
    path("", views.import_files, {"target": "study"}, name="import_study"),
    path("corpus/", views.import_files, {"target": "corpus"}, name="import_corpus"),
    path("<int:pk>/", views.import_job, name="import_job"),
]
