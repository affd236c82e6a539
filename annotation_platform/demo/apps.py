from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "annotation_platform.demo"
