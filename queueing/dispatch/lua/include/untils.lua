-- Drains and blocks that have an end. The group's field `until` is the earliest of their times, or
-- sooner; "" = none has one; missing: data of an older release.
local function note_until(till)
  if till ~= '' and (not head[11] or head[11] == '' or till + 0 < head[11] + 0) then
    head[11] = till
    call('HSET', GROUP, 'until', till)
  end
end

-- Opens the names whose time has passed. O(1) while none is due, O(names) when one may be.
local function end_untils()
  if deaf or (head[11] and (head[11] == '' or head[11] + 0 > now)) then return end
  local WORDS = { d = 'drain', b = 'blocked' }
  local flat, first = call('HGETALL', NAMES), ''
  for i = 1, #flat, 2 do
    local n = name_of(flat[i])
    if WORDS[n.manual] and n.till ~= '' and n.till + 0 <= now then
      local before = WORDS[n.manual]
      n.manual, n.till = 'o', ''
      keep_name(n)
      local p = n.back ~= '' and peer_of('b:' .. n.back)
      if p then settle(p) end
      log('open', p and p.key, n.name, before, 0, 'its time has passed')
    elseif WORDS[n.manual] and n.till ~= '' and (first == '' or n.till + 0 < first + 0) then
      first = n.till
    end
  end
  head[11] = first
  call('HSET', GROUP, 'until', first)
end
