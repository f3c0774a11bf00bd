-- The protocols of front-ends. dispatcher/profiles.py has the same.
local profiles = {}

-- has_own_id: the front-end brings its ID. routes: untimed, timed, or none = it has no sessions. arrival: how a new
-- connection of a known ID is judged: clear = as a reconnect until its first frame is `clear`; incarnation = by the
-- boot ID; new = every connection is new.
profiles.OF = {
  SIP = { has_own_id = true, routes = 'untimed', arrival = 'clear' },
  BICC = { has_own_id = true, routes = 'untimed', arrival = 'incarnation' },
  SMP = { has_own_id = true, routes = 'timed', arrival = 'new' },
  CMPP = { has_own_id = false, routes = 'none', arrival = 'new' },
  HTTP = { has_own_id = false, routes = 'timed', arrival = 'new' },
}
