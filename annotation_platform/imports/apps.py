from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "annotation_platform.imports"
