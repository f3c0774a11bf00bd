"""Who does something: the type of every service's `actor`."""

from poolsite.access.models import User
from poolsite.access.principal import Principal

Actor = Principal | User | str  # str: a part of the system, for example "demo_data"
