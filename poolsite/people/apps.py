"""Django's app configuration of poolsite.people."""

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "poolsite.people"
    label = "people"

    def ready(self) -> None:
        """Register menu, search, audit sentences, undo, API errors, and the demo's people."""
        from poolsite import console
        from poolsite.api import problems
        from poolsite.people import demo, errors, menu, search, undo_ways
        from poolsite.runtime import demo_data

        demo_data.register(10, demo.make_people)
        menu.register()
        search.register()
        undo_ways.register()
        console.register_sentences("poolsite.people.sentences")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
