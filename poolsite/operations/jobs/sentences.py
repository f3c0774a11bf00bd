"""The history's sentences about jobs."""

from django.utils.translation import gettext_lazy as _

from poolsite.console.sentences import HistoryObject, Sentence, register, register_object


def register_all() -> None:
    """Register the sentences. Called once, before the log is first read."""
    register(Sentence("jobs.cancel", _("Jobs"), _("%(actor)s cancelled the job %(thing)s")))
    register_object(HistoryObject("job", _("Job")))
