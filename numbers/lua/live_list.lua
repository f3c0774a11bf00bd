--[[ numbers/live_list
Purpose: Takes a part of a switch's list of its live calls. Renews the listed calls, adopts them in recovery, and judges
  missing ones at the end of the list. Two lists in a row correct the pool. Calls younger than the list are not judged.
KEYS as numbers/event
ARGV[1] switch             its name
ARGV[2] incarnation        its boot id
ARGV[3] as_of              µs: up to when the switch had received answers when it made the list
ARGV[4] first              1 = a list begins
ARGV[5] last               1 = with this part it ends
ARGV[6] offset             0; or as the reply of the part before said
ARGV[7+] calls             call id, number ("" = not known), call id, number, …; at most 1 000 calls
Reply: [1, renewed, next offset or "", ""], then triples: kind, call id, number; kind is adopted
  lease_without_call call_without_lease released hang_up conflict. A next offset: send it, last = 1 and no calls
Errors: -1 "no such pool", "script outdated …", "stale incarnation", "stale list", "too many switches", "malformed list"
Complexity: O(calls × log n)
Full server: runs
Version: 1
]]
local CALLS, MOST = 7, 2006 -- where the calls begin, and how many arguments there may be
local JUDGED_AT_ONCE = 1000
local name, incarnation, as_of, first, last, offset =
  ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or '', ARGV[5] or '', ARGV[6] or ''
if not lists.is_switch(name, incarnation) then return pool.refusal('malformed switch') end
if not lists.is_time(as_of) then return pool.refusal('malformed as_of') end
if not is_flag(first) or not is_flag(last) or not is_digits(offset, lists.OFFSET_DIGITS) or #ARGV % 2 == 1
  or #ARGV > MOST then
  return pool.refusal('malformed list')
end
for place = CALLS, #ARGV, 2 do
  local fault = lists.fault(ARGV[place], ARGV[place + 1])
  if fault then return pool.refusal('malformed ' .. fault) end
end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
if as_of - pool.now > lists.AHEAD_US then return pool.refusal('malformed as_of') end
local lacking = rights.lacking()
if lacking then return lacking end

local switch, list, reason = lists.begin(name, incarnation, as_of, first == '1')
if reason then return pool.refusal(reason) end
local reply, renewed = { '1', '0', '', '' }, 0
for place = CALLS, #ARGV, 2 do
  local id, number = ARGV[place], ARGV[place + 1]
  index.fetch({ 'c:' .. id, 'a:' .. number, 'x:' .. id })
  if lists.take(reply, id, spellings.stored(number), switch, list) then renewed = renewed + 1 end
end
reply[2] = string.format('%d', renewed)
if last == '1' then reply[3] = judging.finish(switch, list, offset + 0, JUDGED_AT_ONCE, reply) end
if pool.conf.special then waiting.serve() end
pool.close()
return reply
