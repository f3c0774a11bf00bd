"""Types of fields that requests of several apps share."""

from typing import Annotated

from pydantic import StringConstraints

from poolsite.api.reading import LINE

Line = Annotated[str, StringConstraints(max_length=200, pattern=LINE)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=LINE)]
Slug40 = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
Email = Annotated[str, StringConstraints(min_length=3, max_length=254, pattern=LINE)]
