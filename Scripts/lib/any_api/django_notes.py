"""Folders and notes in Django: settings, two models and their tables. `rest_notes` and `jsonapi_notes` serve them.

The file of the database is in ANY_API_DATABASE.
"""

import os

import django
from django.conf import settings


def configure(urls, rest):
    """Starts Django with the routes of the module `urls` and the settings `rest` of REST Framework."""
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=urls,
        INSTALLED_APPS=["rest_framework"],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": os.environ["ANY_API_DATABASE"],
                # Two writers at once wait for each other.
                "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
            }
        },
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None, **rest},
    )
    django.setup()


def models(is_unique):
    """The two models, with their tables; `is_unique` when a title may be there once only."""
    from django.db import connection, models as db

    class Folder(db.Model):
        name = db.CharField(max_length=120, unique=is_unique)

        class Meta:
            app_label = "notes"

    class Note(db.Model):
        title = db.CharField(max_length=120, unique=is_unique)
        body = db.CharField(max_length=400)
        folder = db.ForeignKey(Folder, null=True, on_delete=db.PROTECT)
        modified = db.DateTimeField(auto_now=True)

        class Meta:
            app_label = "notes"

    there = connection.introspection.table_names()
    with connection.schema_editor() as editor:
        for model in (Folder, Note):
            if model._meta.db_table not in there:
                editor.create_model(model)
    return Folder, Note
