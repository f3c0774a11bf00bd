"""The only settings, by topic. Values that differ between machines come from the environment.

Every variable is described in docs/operations/settings.md, in one table. A test compares the two.
A topic imports only `site`.
"""

from poolsite.settings.money import *
from poolsite.settings.operations import *
from poolsite.settings.pages import *
from poolsite.settings.people import *
from poolsite.settings.site import *
from poolsite.settings.stores import *
