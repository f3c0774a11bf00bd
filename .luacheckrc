-- What Lua in Redis may name. `make check` runs luacheck with this (tests/house/lua_lint.py) and adds
-- what no list here can know: an app's modules, what they define, and the fields that are assigned.

std = "lua51"
-- Redis has none of these, or none on every server that we know.
not_globals = {
  "debug", "dofile", "getfenv", "io", "loadfile", "module", "newproxy", "os", "package", "print", "require", "setfenv",
}
read_globals = {
  "KEYS", "ARGV", "cjson", "cmsgpack", "struct", "bit",
  redis = {
    fields = {
      "call", "pcall", "error_reply", "status_reply", "sha1hex", "log", "setresp", "replicate_commands",
      "acl_check_cmd", -- from Redis 7 on: nil before
      "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING",
    },
  },
  -- The prelude's: poolsite/hotpath/lua/prelude.lua.
  "VERSION", "IS_FUNCTION", "CALLED_BY_US", "now_us", "int", "earliest", "outdated", "trim_log", "wake", "tell_timers", "remember",
  "is_digits", "is_flag", "is_text", "whole",
}
max_line_length = 120

-- Two warnings are of the form itself, and are left out:
-- 241 (a table is filled and never read) for a module's own name, in its own file: others read it. It is given on the
--     command line, because it is for that one name.
-- 211 (an unused function) in the prelude: the scripts use its functions.
files["**/hotpath/lua/prelude.lua"] = { ignore = { "211" } }
