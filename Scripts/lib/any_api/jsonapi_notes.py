"""JSON:API by djangorestframework-jsonapi: `uvicorn jsonapi_notes:app`.

Server ids; pages by `links.next`, newest row first, so that each new row shifts the pages; no ETags; errors as JSON:API has them.
"""

import django_notes

django_notes.configure(__name__, {
    "PAGE_SIZE": 50,
    "DEFAULT_PAGINATION_CLASS": "rest_framework_json_api.pagination.JsonApiPageNumberPagination",
    "DEFAULT_PARSER_CLASSES": ["rest_framework_json_api.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework_json_api.renderers.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": "rest_framework_json_api.metadata.JSONAPIMetadata",
    "EXCEPTION_HANDLER": "rest_framework_json_api.exceptions.exception_handler",
})

from django.core.asgi import get_asgi_application  # noqa: E402: after the settings
from django.urls import include, path  # noqa: E402
from rest_framework import routers  # noqa: E402
from rest_framework_json_api import serializers, views  # noqa: E402

_, Note = django_notes.models(is_unique=False)


class NoteSerializer(serializers.ModelSerializer):
    class Meta:
        model = Note
        fields = ["title", "body", "modified"]

    class JSONAPIMeta:
        resource_name = "notes"


class NoteViewSet(views.ModelViewSet):
    queryset = Note.objects.order_by("-id")
    serializer_class = NoteSerializer
    resource_name = "notes"


router = routers.DefaultRouter()
router.register("notes", NoteViewSet)
urlpatterns = [path("", include(router.urls))]
app = get_asgi_application()
