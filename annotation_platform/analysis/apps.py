from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "annotation_platform.analysis"
