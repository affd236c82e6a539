"""Addresses of the topic: under a study for its researchers, under their work for annotators."""

from django.urls import path

from annotation_platform.crowd.talk import announcements_page, faq_page, mail_page, own_page, page

study_urlpatterns = [
    path("messages/", page.inbox, name="crowd_messages"),
    path("messages/to/", page.write_to, name="write_to_annotator"),
    path("messages/<int:annotator>/<int:assignment>/", page.thread, name="crowd_thread"),
    path("messages/<int:annotator>/<int:assignment>/settle/", page.settle, name="settle_thread"),
    path("announcements/", announcements_page.announcements, name="crowd_announcements"),
    path("announcements/<int:pk>/end/", announcements_page.end, name="end_announcement"),
    path("faq/", faq_page.faq, name="crowd_faq"),
    path("faq/new/", faq_page.new_entry, name="new_faq_entry"),
    path("faq/<int:pk>/", faq_page.entry, name="faq_entry"),
    path("faq/<int:pk>/move/", faq_page.move, name="move_faq_entry"),
    path("faq/<int:pk>/remove/", faq_page.remove, name="remove_faq_entry"),
]

work_urlpatterns = [
    path("messages/", own_page.my_messages, name="my_messages"),
    path("messages/mail/", mail_page.mail_wishes, name="mail_wishes"),
    path("messages/mail/stop/<str:token>/", mail_page.stop_mail, name="stop_mail"),
    path("messages/<slug:slug>/", own_page.my_study_messages, name="my_study_messages"),
    path("announcements/<int:pk>/dismiss/", own_page.dismiss, name="dismiss_announcement"),
    path("faq/<slug:slug>/", own_page.faq, name="faq"),
]
