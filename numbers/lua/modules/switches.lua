-- Switches, in the index under w:<switch>: the session of its present life, when it was heard (s), and
-- its incarnation. Lives that are over: lives.lua.
local switches = {}

switches.RECORD = 'c4c10'
switches.HEARD_S = 1

-- name, session (text), heard (s), incarnation; nil = not known.
function switches.read(name)
  local record = name ~= '' and index.get('w:' .. name)
  if not record then return nil end
  local session, heard, rest = struct.unpack(switches.RECORD, record)
  return { name = name, session = session, heard = heard + 0, incarnation = string.sub(record, rest) }
end

-- Keeps the life; the switch is heard now.
function switches.write(switch)
  switch.heard = math.floor(pool.now / settings.SECOND_US)
  index.set('w:' .. switch.name, switch.session .. string.format('%010d', switch.heard) .. switch.incarnation)
end

-- The event's switch speaks. Returns its session and whether calls of the life before must be released; nil and a
-- reason when it is refused. `switch`: what is known of it.
function switches.hear(switch)
  if not switch or (event.incarnation ~= '' and switch.incarnation ~= event.incarnation) then
    return lives.meet(event.switch, event.incarnation, switch)
  end
  if switches.is_silent(switch) then switches.write(switch) end
  return switch.session, false
end

-- Whether it was not heard in this second yet.
function switches.is_silent(switch)
  return math.abs(pool.now / settings.SECOND_US - switch.heard) >= switches.HEARD_S
end
