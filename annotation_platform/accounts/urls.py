from django.urls import path

from annotation_platform.accounts import views

urlpatterns = [
    path("", views.home, name="home"),
    path("demo/<str:role>/", views.demo_sign_in, name="demo_sign_in"),
]
