--[[ line/sweep
Purpose: Does a limited part of the work that has become due: unheard visitors and agents, offers, wrap-ups, longest
  waits, relaxing skills, queues without agents, and the opening after a loss.
KEYS as line/show
ARGV[1] batch          how many timers at most, 1 to 1 000
ARGV[2] heard_since    ms; since when the service hears people without a break; "now": it does not hear them; 0 =
                         always
ARGV[3] patience       ms, 0 if left out; above 0: nothing is done unless something has been due for so long, or no
                         sweep came for 2 s
Reply: [more, seq, handled, now, next]; more = 1: call again at once; now and next in µs: nothing is due before next
Errors: "no such desk", "script outdated …", "malformed batch", "malformed heard_since", "malformed patience"
Complexity: O(batch × (log n + skill sets))
Full server: runs
Version: 1
]]
local STEADY_MS = 5000 -- a longer gap between two sweeps: the service was away, or the clock has stepped
local STEADY_AGAIN_MS = 60000 -- once in so long at most, so that sweeps which are always late get something done
local WALK_MS = 1000 -- so often the head of each line looks once more
local LOST_MS = 2000 -- who has patience takes over when no sweep came for so long
local SOON_MS = 1000 -- whatever begins from now on lasts at least so long
local LATER_MS = 60000 -- when there is no timer at all

-- When the desk is due for one who has patience; also by opening.
local function next_due(opens_at)
  local next_ms = earliest(desk.now_ms + SOON_MS, desk.tag .. ':timers')
  if not desk.is_open and opens_at then next_ms = math.min(next_ms, opens_at + 0) end
  return next_ms
end

-- Since when sweeps go on without a gap, in ms as text. Nobody swept for long: silence counts from now, and what is
-- due waits a little more, in which the monitors notice a step of the clock.
local function steady_since(walked, steady)
  local since = (steady or 0) + 0
  local had_gap = walked and math.abs(desk.now_ms - walked) > STEADY_MS
  if had_gap and (desk.now_ms < since or desk.now_ms - since > STEADY_AGAIN_MS) then return desk.at_ms end
  return steady or '0'
end

-- Opens a recovering desk when its time has come; returns whether it did. opens_in: how long it was to last, so that
-- a clock that was put back does not keep it closed.
local function open_recovered(opens_at, opens_in, holds)
  if desk.is_open or not opens_at then return false end
  local opens = opens_at + 0
  if opens_in and opens - desk.now_ms > opens_in + 0 then
    opens = desk.now_ms + opens_in
    desk.set('opens_at', int(opens))
  end
  if opens > desk.now_ms or holds then return false end
  desk.letter, desk.is_open = 'o', true
  desk.set('conf', desk.letter)
  redis.call('HDEL', desk.tag, 'opens_at')
  desk.log('opened', 'w', 'recovered') -- whoever came back is matched by the walk over the lines
  return true
end

-- The walk over what a clock that was ahead has written goes on by a piece, unless the sweep `holds`. `place`: where
-- it is, false = there is none. Returns the same for the next sweep.
local function go_on_putting_back(place, holds, batch)
  if desk.now < desk.last then place = '0' end
  if not place then return false end
  if not holds then place = repair.put_back(place, batch) end
  if place == '0' and not holds then redis.call('HDEL', desk.tag, 'ahead') else desk.set('ahead', place) end
  return place
end

-- Up to `batch` of the timers that are due; returns how many were, and how many were handled.
local function handle_due(batch)
  local names = redis.call('ZRANGEBYSCORE', desk.tag .. ':timers', '-inf', desk.at_ms, 'LIMIT', 0, batch)
  local handled = 0
  for _, name in ipairs(names) do
    local at_ms = timers.due(name)
    if at_ms and at_ms + 0 <= desk.now_ms then -- a step before may have moved it on
      timers.stop(name)
      due.handle(name, batch)
      handled = handled + 1
    end
  end
  return #names, handled
end

-- The starts of all lines of a queue in ready. Where needs relax with waiting, each class has a line of its own: its
-- head has waited longest. Without needs one line is enough.
local function starts_in_ready(queue)
  local starts = { lines.of_skills(queue, 0) }
  for need = 1, desk.needs do
    for class = 1, lines.CLASSES do starts[#starts + 1] = lines.of_skills(queue, need) .. class end
  end
  return starts
end

-- What every other trigger missed, if anything: the head of each line looks once more. Returns how many were matched,
-- `most` at most.
local function walk(most)
  local matched = 0
  for _, queue in ipairs(queues.ids()) do
    local starts = queues.of(queue).mode ~= 'manual' and starts_in_ready(queue) or {}
    for _, start in ipairs(starts) do
      local _, id = lines.head(lines.READY, start)
      while id and matched < most and matching.match_visit(visits.read(id)) do
        matched = matched + 1
        _, id = lines.head(lines.READY, start)
      end
    end
  end
  return matched
end

-- When something is due next, by what there is now, in ms.
local function next_look(holds, place)
  if holds then return desk.now_ms + SOON_MS end
  if place and place ~= '0' then return desk.now_ms end
  local has_timers = redis.call('EXISTS', desk.tag .. ':timers') == 1
  local next_ms = earliest(desk.now_ms + (has_timers and SOON_MS or LATER_MS), desk.tag .. ':timers')
  local opens_at = not desk.is_open and desk.field('opens_at')
  return opens_at and math.min(next_ms, opens_at + 0) or next_ms
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local batch, told, patience = words.count(ARGV[1]), ARGV[2] or '', ARGV[3] or '0'
if not batch then return { 'malformed batch' } end
if told ~= 'now' and not string.find(told, '^%d+$') then return { 'malformed heard_since' } end
if not string.find(patience, '^%d+$') then return { 'malformed patience' } end
local heard, walked, steady, place, opens_at, opens_in = unpack(redis.call('HMGET', desk.tag, 'heard', 'walked',
  'steady', 'ahead', 'opens_at', 'opens_in'))
local walked_ago = math.abs(desk.now_ms - (walked or 0))
if patience + 0 > 0 then
  local next_ms = next_due(opens_at)
  if next_ms + patience > desk.now_ms and walked_ago < LOST_MS then
    return { '0', int(desk.seq), '0', desk.at, int(next_ms * desk.MS_US) }
  end
end

steady = steady_since(walked, steady)
local holds = steady + STEADY_MS > desk.now_ms
desk.heard_since = told == 'now' and desk.now_ms or math.max(told + 0, steady + 0)
if heard ~= told then desk.set('heard', told) end
local opened = open_recovered(opens_at, opens_in, holds)
place = go_on_putting_back(place, holds, batch)
local found, handled = 0, 0
if not holds then found, handled = handle_due(batch) end
if opened or walked_ago >= WALK_MS then
  -- A match relies on the time stored here, from which people could be heard.
  redis.call('HSET', desk.tag, 'walked', desk.at_ms, 'clock', desk.at, 'steady', steady)
  if desk.is_open then handled = handled + walk(2 * batch - handled) end
end
desk.close()
local next_ms = next_look(holds, place)
local more = found == batch or next_ms <= desk.now_ms
return { more and '1' or '0', int(desk.seq), int(handled), desk.at, int(next_ms * desk.MS_US) }
