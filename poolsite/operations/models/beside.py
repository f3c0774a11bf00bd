"""What people add to the data: saved views of lists, tags and notes."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account, User


class SavedView(models.Model):
    """A user's saved view of a list: a name, the page's path and the query of its URL."""

    user = models.ForeignKey(User, models.CASCADE, related_name="saved_views")
    path = models.CharField(_("page"), max_length=200)
    name = models.CharField(_("name"), max_length=60)
    query = models.CharField(_("filters"), max_length=2000, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "path", "name"], name="operations_saved_view_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        """The URL of the view."""
        return f"{self.path}?{self.query}" if self.query else self.path


class Beside(models.Model):
    """Base of what people add to a managed object: the name of the object's kind, and its slug."""

    kind = models.CharField(_("type"), max_length=20)
    thing = models.CharField(_("object"), max_length=40)
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("account")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        abstract = True


class Tag(Beside):
    """A label that groups objects. Its account is the object's account."""

    tag = models.CharField(_("tag"), max_length=40, db_index=True)

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        ordering = ["tag"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "thing", "tag"], name="operations_tag_once")
        ]

    def __str__(self) -> str:
        return self.tag


class Note(Beside):
    """A note for other users. It can be removed, but not edited."""

    text = models.TextField(_("note"))
    author = models.CharField(_("written by"), max_length=150)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["kind", "thing", "-id"], name="operations_note_thing")]

    def __str__(self) -> str:
        return self.text[:60]
