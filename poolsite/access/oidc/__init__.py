"""Log-in by an OpenID Connect provider (docs/decisions/0077), on top of django-allauth."""
