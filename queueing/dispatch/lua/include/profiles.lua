-- Protocols: brings its own id, routes (u untimed, t timed, n none), arrival (c clear, i incarnation, n new).
-- dispatcher/profiles.py says the same.
local PROFILES = {
  SIP = { own = true, routes = 'u', arrival = 'c' },
  BICC = { own = true, routes = 'u', arrival = 'i' },
  SMP = { own = true, routes = 't', arrival = 'n' },
  CMPP = { own = false, routes = 'n', arrival = 'n' },
  HTTP = { own = false, routes = 't', arrival = 'n' },
}
