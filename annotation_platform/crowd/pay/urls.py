"""The addresses about pay."""

from django.urls import URLPattern, path

from annotation_platform.crowd.pay import earnings_page, page, payment_page

study_urlpatterns: list[URLPattern] = [
    path("", page.pay, name="crowd_pay"),
    path("people/<int:pk>/", page.member, name="pay_member"),
    path("payments/<int:number>/", payment_page.payment, name="payment"),
    path("payments/<int:number>/file.csv", payment_page.payment_file, name="payment_file"),
]
work_urlpatterns: list[URLPattern] = [
    path("", earnings_page.earnings, name="earnings"),
    path("entries.csv", earnings_page.earnings_file, name="earnings_file"),
]
