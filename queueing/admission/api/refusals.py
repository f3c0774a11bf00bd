"""A request that is refused before it reaches a gate."""

from starlette.responses import Response

from poolsite.api.problems import problem_response


class RefusedError(Exception):
    """Carries the problem that is the answer."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind)
        self.kind, self.detail = kind, detail

    @property
    def response(self) -> Response:
        return problem_response(self.kind, self.detail)
