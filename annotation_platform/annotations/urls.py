from django.urls import path

from annotation_platform.annotations import views

urlpatterns = [
    path("", views.work, name="work"),
    path("take/<slug:slug>/", views.take, name="take"),
    path("assignments/<int:pk>/", views.instructions, name="instructions"),
    path("assignments/<int:pk>/return/", views.give_back, name="give_back"),
    path("assignments/<int:pk>/done/", views.done, name="done"),
    path("assignments/<int:pk>/messages/", views.messages, name="messages"),
    path("assignments/<int:pk>/<int:position>/", views.judge, name="judge"),
    path("assignments/<int:pk>/<int:position>/draft/", views.draft, name="draft"),
]
