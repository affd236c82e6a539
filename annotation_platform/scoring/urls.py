"""The pages of this app: of one study, and of imports."""

from django.urls import path

from annotation_platform.scoring.views import imports, scoring

urlpatterns = [path("scoring/", scoring.scoring, name="scoring")]

import_urlpatterns = [
    path("", imports.import_files, {"target": "study"}, name="import_study"),
    path("corpus/", imports.import_files, {"target": "corpus"}, name="import_corpus"),
    path("<int:pk>/", imports.import_job, name="import_job"),
]
