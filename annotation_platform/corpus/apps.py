from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "annotation_platform.corpus"
