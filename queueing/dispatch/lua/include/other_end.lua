-- The session's route and the end that `me` is not; else the reason why there is nothing to send.
local r, other, reason
if me.front and match(session, '^[^/]*') ~= me.id then reason = 'not yours'
else
  r = route_of(session)
  local f, b
  if r then f, b = ends_of(r) end
  if not r or not (me.front and f or not me.front and b) then
    if r and not me.front and r.back ~= me.id then reason = 'not yours'
    else reason = status == 'r' and 'recovering' or 'no such session' end
  elseif not me.front and r.back ~= me.id then reason = 'not yours'
  elseif sub(r.flags, 1, 1) == 'e' then reason = 'session ending'
  elseif sub(r.flags, 1, 1) == 'p' then reason = 'recovering'
  else
    other = me.front and b or not me.front and f or nil
    if not other then reason = 'no such session' end -- it is void; its end is on the way
  end
end
