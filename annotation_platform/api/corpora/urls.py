from django.urls import path

from annotation_platform.api.corpora import views

urlpatterns = [
    path("corpora", views.Corpora.as_view(), name="api_corpora"),
    path("corpora/<int:pk>", views.OneCorpus.as_view(), name="api_corpus"),
]
