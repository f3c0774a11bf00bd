--[[ dispatch/sweep
Purpose: What time brings, a bounded piece at a time: silent peers, stopped ones, routes of lives that are
  over, routes whose time has come, drains and blocks whose time has passed, the opening after a loss.
KEYS as dispatch/start
ARGV[1] batch          how many of each kind at most, 1 to 1 000
Reply: [1, more, opened, peers now pending, peers now stopped, routes cleared, expired, freed, now, next];
  more = 1: call again at once; peers are joined by spaces; now and next in µs: nothing is due before next
Errors: [-1, reason]: "no such group", "script outdated …", "malformed batch"
Complexity: O(batch × log n)
Version: 1
]]
local MOST = 1000
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local batch = whole(ARGV[1], 1, MOST)
if not batch then return checks.refusal('malformed batch') end
local stopped_at_once = math.min(batch, timers.STOPPED_AT_ONCE)

timers.put_back(batch)
names.open_due()
local pending = timers.pend_silent(batch)
local stopped = timers.stop_pending(stopped_at_once)
local opened = timers.open()
local cleared, has_more_lives = clearing.step(batch)
local routes_due = timers.due(':timers', batch)
local expired = group.is_deaf and 0 or clearing.end_old(batch)
local timed, freed = timers.end_routes(routes_due)
expired = expired + timed
group.count('cleared', cleared)
group.count('expired', expired)
group.count('freed', freed)
local next_us = timers.next_us()
local more = has_more_lives or #pending == batch or #stopped == stopped_at_once or #routes_due == batch
group.close()
return { '1', more and '1' or '0', opened and '1' or '0', table.concat(pending, ' '), table.concat(stopped, ' '),
  string.format('%d', cleared), string.format('%d', expired), string.format('%d', freed), group.at,
  string.format('%d', next_us) }
