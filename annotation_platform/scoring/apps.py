from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "annotation_platform.scoring"
