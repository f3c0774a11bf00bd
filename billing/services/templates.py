"""Templates: one message in every form; complete ones may be sent by campaigns."""

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import Campaign, Chatbot, Template
from billing.pricing.content import missing_of
from billing.services.acting import clean_line
from poolsite import access
from poolsite.access.services.actor import Actor, require

FIELDS: Final = (
    "name",
    "native_kind",
    "native_text",
    "card_kilobytes",
    "yuexin_text",
    "yuexin_link",
    "link_registered",
    "video_subject",
    "video_kilobytes",
)
TEXT_LIMIT: Final = 5_000
KILOBYTES_LIMIT: Final = 100_000


@transaction.atomic
def template_create(*, actor: Actor, chatbot: Chatbot, **given: Any) -> Template:
    """Add a template, complete or not; `given` are FIELDS. Raise ValidationError for bad values."""
    require(actor, "billing.send", chatbot)
    if chatbot.archived_at is not None:
        raise ValidationError(_("This chatbot is archived."))
    template = Template(chatbot=chatbot)
    _fill(template, given)
    template.save()
    access.audit(
        actor=actor, action="billing.template_create", thing=template, after=_facts(template)
    )
    return template


@transaction.atomic
def template_change(
    *, actor: Actor, template: Template, reason: str = "", **given: Any
) -> Template:
    """Change a template that no campaign has begun to send. Raise ValidationError otherwise.

    Messages that were sent, or are being sent, keep their body: for another text create another
    template.
    """
    require(actor, "billing.send", template)
    template = Template.objects.select_for_update(of=("self",)).get(pk=template.pk)
    if why := why_fixed(template):
        raise ValidationError(why)
    before = _values(template)
    _fill(template, given)
    moved = template.yuexin_link != before["yuexin_link"]
    if moved and "link_registered" not in given:
        template.link_registered = False  # another link needs another registration
    after = _values(template)
    # A link is logged with its registration, so that both are undone together.
    changed = {name for name in FIELDS if after[name] != before[name]}
    changed |= {"link_registered"} if moved else set()
    if changed:
        template.save()
        access.audit(
            actor=actor,
            action="billing.template_change",
            thing=template,
            before={name: before[name] for name in FIELDS if name in changed},
            after={name: after[name] for name in FIELDS if name in changed},
            reason=clean_line(reason),
        )
    return template


def why_fixed(template: Template) -> str:
    """Return why a template can no longer be changed, or "" if it can."""
    sent = Campaign.objects.filter(template=template).exclude(status=Campaign.Status.DRAFT)
    return _("A campaign uses this template. Create a new one instead.") if sent.exists() else ""


@transaction.atomic
def template_archive(*, actor: Actor, template: Template, archived: bool = True) -> Template:
    """Archive a template, which removes it from the lists, or restore it."""
    require(actor, "billing.send", template)
    template = Template.objects.select_for_update(of=("self",)).get(pk=template.pk)
    if (template.archived_at is not None) == archived:
        return template
    template.archived_at = timezone.now() if archived else None
    template.save(update_fields=["archived_at"])
    action = "billing.template_archive" if archived else "billing.template_restore"
    access.audit(actor=actor, action=action, thing=template)
    return template


def _fill(template: Template, given: dict[str, Any]) -> None:
    unknown = set(given) - set(FIELDS)
    if unknown:
        raise TypeError(f"templates have no {min(unknown)}")
    for name, value in given.items():
        setattr(template, name, value.strip() if isinstance(value, str) else value)
    for name in ("native_text", "yuexin_text"):
        text = getattr(template, name)
        if len(text) > TEXT_LIMIT or "\x00" in text:
            raise ValidationError({name: _("Use no more than %d characters.") % TEXT_LIMIT})
    for name in ("card_kilobytes", "video_kilobytes"):
        size = getattr(template, name)
        if isinstance(size, bool) or not isinstance(size, int) or size > KILOBYTES_LIMIT:
            raise ValidationError({name: _("Enter no more than %d kB.") % KILOBYTES_LIMIT})
    template.full_clean(exclude=["chatbot"])


def _values(template: Template) -> dict[str, Any]:
    """Return what the log stores of a change: the texts too, so that it can be undone."""
    return {name: getattr(template, name) for name in FIELDS}


def _facts(template: Template) -> dict[str, Any]:
    """Return what the log stores of a new template: the sizes of the texts, not the texts."""
    return {
        "name": template.name,
        "native": template.native_kind,
        "characters": len(template.native_text),
        "yuexin_characters": len(template.yuexin_text),
        "link": template.yuexin_link,
        "registered": template.link_registered,
        "missing": missing_of(template),
    }
