"""Another release of the scripts, for tests in which two releases run side by side."""

from pathlib import Path

# The shipped prelude's functions, with different code.
_PRELUDE = """\
local function outdated(data_version, data_sha)
  if (tonumber(data_version) or 0) > 1 + VERSION then
    return 'script outdated ' .. (data_sha or '')
  end
end
"""


def other_prelude(folder: Path) -> Path:
    """Write the other release's prelude into the folder, for scripts.preluded_with."""
    path = folder / "prelude.lua"
    path.write_text(_PRELUDE)
    return path
