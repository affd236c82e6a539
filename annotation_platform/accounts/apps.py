from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AccountsConfig(AppConfig):
    name = "annotation_platform.accounts"

    def ready(self) -> None:
        autodiscover_modules("sentences")  # of every app: what its errors say
        autodiscover_modules("account_deletion")  # and what becomes of its rows when an account is deleted
