"""One's own pages: names and language, password, second factor, log-out everywhere."""

import io
import time

import segno
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite.access import services
from poolsite.access.forms import CodeForm, PasswordForm, ProfileForm
from poolsite.access.lookup import SESSION_FACTOR
from poolsite.access.models import RecoveryCode, Totp
from poolsite.access.services import FactorAnswer
from poolsite.access.services.factors import has_factor, provisioning_uri
from poolsite.access.views.common import actor_of, add_errors, asks, next_of, user_of
from poolsite.access.views.log_in import refuse_code
from poolsite.access.views.step_up import asks_password


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def profile(request: HttpRequest) -> HttpResponseBase:
    """Names, zone and language."""
    user = user_of(request)
    fields = ("first_name", "last_name", "zone", "locale")
    form = ProfileForm(request.POST or None, initial={name: getattr(user, name) for name in fields})
    if request.method == "POST" and form.is_valid():
        services.profile_change(user=user, actor=actor_of(request), **form.cleaned_data)
        messages.success(request, _("Your profile is saved."))
        return redirect("access:profile")
    return render(request, "access/profile.html", {"form": form})


@never_cache
@require_GET
@asks("access.profile")
def security(request: HttpRequest) -> HttpResponseBase:
    """What protects the reader's log-in."""
    user = user_of(request)
    return render(
        request,
        "access/security.html",
        {
            "has_factor": has_factor(user),
            "codes_left": RecoveryCode.objects.filter(user=user).count(),
        },
    )


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def password(request: HttpRequest) -> HttpResponseBase:
    """A new password: every other session ends, this one goes on under a new key."""
    user = user_of(request)
    form = PasswordForm(request.POST or None)
    form.user_for_validation = user
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            changed = services.password_set(
                user=user, password=form.cleaned_data["new_password"], actor=actor_of(request)
            )
            update_session_auth_hash(request, changed)
        messages.success(request, _("Your password is changed. Other sessions have ended."))
        return redirect("access:security")
    return render(request, "access/password.html", {"form": form})


@never_cache
@require_POST
@asks("access.profile")
def log_out_everywhere(request: HttpRequest) -> HttpResponseBase:
    """End every session of the reader, this one too."""
    with transaction.atomic():
        services.log_out_everywhere(user=user_of(request), actor=actor_of(request))
        logout(request)
    messages.success(request, _("You are logged out everywhere."))
    return redirect("access:login")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
@asks_password
def factor_add(request: HttpRequest) -> HttpResponseBase:
    """Show the QR code and take the first code; then the recovery codes, once.

    By the password: else a stolen session could set up an app of its own, or learn the secret
    of the one that the owner is about to set up.
    """
    user = user_of(request)
    if has_factor(user):
        messages.info(request, _("Your authenticator app is set up already."))
        return redirect("access:security")
    secret = services.factor_begin(user=user)
    form = CodeForm(request.POST or None)
    form.fields["code"].help_text = ""
    if request.method == "POST" and form.is_valid():
        try:
            codes = services.factor_confirm(
                user=user, code=form.cleaned_data["code"], actor=actor_of(request)
            )
        except ValidationError as error:
            add_errors(form, error)
        else:
            request.session[SESSION_FACTOR] = time.time()
            return render(request, "access/recovery_codes.html", {"codes": codes})
    context = {"form": form, "secret": " ".join(secret[i : i + 4] for i in range(0, 32, 4))}
    return render(request, "access/factor_add.html", context)


@never_cache
@require_GET
@asks("access.profile")
@asks_password
def factor_picture(request: HttpRequest) -> HttpResponseBase:
    """The QR code of an app that is not confirmed yet; afterwards the secret is shown no more."""
    user = user_of(request)
    if not Totp.objects.filter(user=user, confirmed_at__isnull=True).exists():
        raise Http404
    uri = provisioning_uri(user, services.factor_begin(user=user))
    picture = io.BytesIO()
    segno.make(uri, error="m").save(picture, kind="svg", scale=5, border=2, light="#ffffff")
    return HttpResponse(picture.getvalue(), content_type="image/svg+xml")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def confirm(request: HttpRequest) -> HttpResponseBase:
    """Prove the second factor again, before money moves."""
    user = user_of(request)
    if not has_factor(user):
        messages.warning(request, _("Set up an authenticator app first: money actions need it."))
        return redirect("access:factor_add")
    form = CodeForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        answer = services.factor_check(user=user, code=form.cleaned_data["code"])
        if answer is FactorAnswer.OK:
            request.session[SESSION_FACTOR] = time.time()
            return redirect(next_of(request, "/"))
        status = refuse_code(form, answer)
    context = {"form": form, "next": next_of(request)}
    return render(request, "access/confirm.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def factor_remove(request: HttpRequest) -> HttpResponseBase:
    """Forget the app, by one of its codes."""
    user = user_of(request)
    if not has_factor(user):
        return redirect("access:security")
    form = CodeForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        answer = services.factor_check(user=user, code=form.cleaned_data["code"])
        if answer is FactorAnswer.OK:
            services.factor_remove(user=user, actor=actor_of(request))
            request.session.pop(SESSION_FACTOR, None)
            messages.success(request, _("Your authenticator app is removed."))
            return redirect("access:security")
        status = refuse_code(form, answer)
    return render(request, "access/factor_remove.html", {"form": form}, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def recovery_codes(request: HttpRequest) -> HttpResponseBase:
    """Ten new recovery codes, by a code of the app."""
    user = user_of(request)
    if not has_factor(user):
        return redirect("access:security")
    form = CodeForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        answer = services.factor_check(user=user, code=form.cleaned_data["code"])
        if answer is FactorAnswer.OK:
            codes = services.recovery_codes_renew(user=user, actor=actor_of(request))
            return render(request, "access/recovery_codes.html", {"codes": codes})
        status = refuse_code(form, answer)
    return render(request, "access/recovery_codes_ask.html", {"form": form}, status=status)
