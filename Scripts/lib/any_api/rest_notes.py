"""A router of Django REST Framework: `uvicorn rest_notes:app`.

Server ids; page numbers, oldest row first; a note refers to its folder; a title may be there once; no ETags.
"""

import django_notes

django_notes.configure(__name__, {
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 50,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
})

from django.core.asgi import get_asgi_application  # noqa: E402: after the settings
from django.urls import include, path  # noqa: E402
from rest_framework import routers, serializers, viewsets  # noqa: E402

Folder, Note = django_notes.models(is_unique=True)


class FolderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Folder
        fields = ["id", "name"]


class NoteSerializer(serializers.ModelSerializer):
    class Meta:
        model = Note
        fields = ["id", "title", "body", "folder", "modified"]


class FolderViewSet(viewsets.ModelViewSet):
    queryset = Folder.objects.order_by("id")
    serializer_class = FolderSerializer


class NoteViewSet(viewsets.ModelViewSet):
    queryset = Note.objects.order_by("id")
    serializer_class = NoteSerializer


router = routers.DefaultRouter()
router.register("folders", FolderViewSet)
router.register("notes", NoteViewSet)
urlpatterns = [path("", include(router.urls))]
app = get_asgi_application()
