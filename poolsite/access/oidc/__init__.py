"""Log-in by an OpenID Connect provider (docs/decisions/0051), on top of django-allauth."""
