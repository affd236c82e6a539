from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "annotation_platform.api"
