from django.urls import path

from annotation_platform.scoring import views

urlpatterns = [path("scoring/", views.scoring, name="scoring")]
