from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "annotation_platform.accounts"
