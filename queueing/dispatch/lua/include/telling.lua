-- A route as the readers answer it: eleven words.
local function tell_route(reply, r)
  local f, b = ends_of(r)
  local named = peer_of('b:' .. r.back)
  local provisional = sub(r.flags, 1, 1) == 'p'
  local live = (f and b) or (provisional and (f or b)) or sub(r.flags, 1, 1) == 'e'
  if is_past(r) then live = false end
  local words = { r.session, r.back, named and named.name or '', live and '1' or '0', r.started, r.deadline,
    call('ZSCORE', TIMERS, r.session) or int(r.started + ROUTE_LIMIT), r.flags, r.nf, r.nb, r.why }
  for i = 1, #words do reply[#reply + 1] = words[i] end
end
