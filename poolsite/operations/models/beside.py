"""What people keep beside the data: views of lists, tags and notes."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account, User


class SavedView(models.Model):
    """A person's name for one state of a list: its page's path and the query of its address."""

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
        """Where the view leads to."""
        return f"{self.path}?{self.query}" if self.query else self.path


class Beside(models.Model):
    """Base of what people write beside a managed thing: its kind's name, and its slug."""

    kind = models.CharField(_("type"), max_length=20)
    thing = models.CharField(_("object"), max_length=40)
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("account")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        abstract = True


class Tag(Beside):
    """One word by which things are found together; the thing's tenant is the tag's."""

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
    """What somebody wants the next one to know; it is removed, never rewritten."""

    text = models.TextField(_("note"))
    author = models.CharField(_("written by"), max_length=150)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["kind", "thing", "-id"], name="operations_note_thing")]

    def __str__(self) -> str:
        return self.text[:60]
