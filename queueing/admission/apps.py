"""The Django app of the admission gates."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AdmissionConfig(AppConfig):
    name = "queueing.admission"
    label = "admission"
    verbose_name = _("Gates")

    def ready(self) -> None:
        import queueing.admission.gate.scripts
        import queueing.admission.tasks
        import queueing.admission.topics  # noqa: F401  registers the live topics
        from poolsite import console, history, timers
        from poolsite.api import problems
        from poolsite.runtime import demo_data
        from queueing.admission import cards, demo, errors, gate, menu, overview, rules, search
        from queueing.admission.gate.keys import PREFIX
        from queueing.admission.services.history_source import GATE_HISTORY

        rules.register()
        console.register_sentences("queueing.admission.sentences")
        console.register_goals("queueing.admission.guide")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        for face in (menu, overview, search, cards):
            face.register()
        history.register(GATE_HISTORY)
        timers.register(
            timers.TimerKind(
                "admission.gate",
                prefix=PREFIX,
                visit=gate.sweep,
                idle_seconds=gate.VISIT_SECONDS,
            )
        )
        demo_data.register(40, demo.make_gates)
