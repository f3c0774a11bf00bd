"""The networks that a token may be used from. Pure functions; no I/O."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MOST_NETWORKS = 50


def checked(networks: Iterable[str]) -> list[str]:
    """Return the networks in their usual form (`203.0.113.7` is `203.0.113.7/32`), without repeats.

    Raise ValidationError for a text that is no network, for a network with bits behind its prefix,
    and for too many networks.
    """
    found = list(dict.fromkeys(_checked(each) for each in networks))
    if len(found) > MOST_NETWORKS:
        raise ValidationError(_("Enter up to %d networks.") % MOST_NETWORKS)
    return found


def _checked(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError:
        pass
    try:
        meant = ip_network(text, strict=False)
    except ValueError:
        said = _("“%s” is not a network. Enter an address or a network, such as 203.0.113.0/24.")
        raise ValidationError(said % text[:60]) from None
    said = _("%(given)s is an address inside a network. Enter %(network)s for the whole network.")
    raise ValidationError(said % {"given": text, "network": meant})


@lru_cache(maxsize=1024)
def _parsed(networks: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(each) for each in networks)


@lru_cache(maxsize=4096)  # called at every request of the hot lane, mostly for few addresses
def allows(networks: tuple[str, ...], address: str) -> bool:
    """Whether a client at this address may use the token; without networks, from anywhere.

    An IPv4 address that is written as IPv6 counts as IPv4. An unknown address is in no network.
    """
    if not networks:
        return True
    try:
        client = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(client, IPv6Address) and client.ipv4_mapped is not None:
        client = client.ipv4_mapped
    return any(client in network for network in _parsed(networks))
