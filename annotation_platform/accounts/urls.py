from django.urls import path

from annotation_platform.accounts import token_pages, views

urlpatterns = [
    path("demo/<str:role>/", views.demo_sign_in, name="demo_sign_in"),
    path("language/", views.set_language, name="set_language"),
    path("come-back/<str:token>/", views.come_back, name="come_back"),
    path("my-account/", views.my_account, name="my_account"),
    path("my-account/tokens/", token_pages.my_tokens, name="my_tokens"),
    path("my-account/tokens/<int:pk>/revoke/", token_pages.revoke_my_token, name="revoke_my_token"),
    path("my-link/", views.personal_link, name="personal_link"),
]
