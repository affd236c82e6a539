"""The agreement dashboards and the explorer, under the address of their study."""

from annotation_platform.analysis.charts import page as charts
from annotation_platform.analysis.explorer import page as explorer
from annotation_platform.analysis.topics import modules

urlpatterns = [
    *(pattern for module in modules("page") for pattern in module.urlpatterns),
    *charts.urlpatterns,
    *explorer.urlpatterns,
]
