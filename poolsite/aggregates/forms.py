"""The form that creates an aggregate."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.console.settings_forms import DurationsMixin
from poolsite.console.short_names import ShortNameMixin
from poolsite.hotpath.rows import SLUG_PATTERN, RedisRow


class AggregateCreateForm(ShortNameMixin, DurationsMixin, forms.Form):
    """The form for a new aggregate. Fields that a subclass leaves out have defaults.

    `slug_help`: where the short name is used. `slug_taken`: the error for a slug that an aggregate
    has or had.
    """

    model: ClassVar[type[RedisRow]]
    slug_help: ClassVar[Any]
    slug_taken: ClassVar[Any]

    name = forms.CharField(label=_("Name"), max_length=120)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=40,
        validators=[
            RegexValidator(
                SLUG_PATTERN, _("Use 1 to 40 lowercase letters, digits and hyphens (-).")
            )
        ],
    )
    account = forms.ModelChoiceField(
        label=_("Account"),
        queryset=Account.objects.all(),
        required=False,
        empty_label=_("Platform (no account)"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].help_text = self.slug_help
        self.order_fields([*(name for name in self.fields if name != "account"), "account"])

    def given(self) -> dict[str, Any]:
        """Return the service's arguments. The service fills a text that was left empty."""
        return {name: value for name, value in self.cleaned_data.items() if value != ""}

    def clean_slug(self) -> str:
        """Refuse a slug that an aggregate has or had: years of history name it."""
        slug = super().clean_slug()
        if self.model._base_manager.filter(Q(slug=slug)).exists():
            raise ValidationError(self.slug_taken)
        return slug
