--[[ dispatch/resync
Purpose: A peer tells sessions that it has: named by both ends they are restored, by one only they are
  provisional.
KEYS as dispatch/start
ARGV[1] peer           who tells
ARGV[2] link           the token of its socket
ARGV[3] last           1 = these were all
ARGV[4+] sessions      triples: session, id or name of the other end or "", deadline µs or ""; 1 000 at most
Reply: [1, restored, provisional, freed, last]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "behind" (no room to answer: tell them again)
Complexity: O(sessions × log n)
Version: 1
]]
local MOST, WORDS = 1000, 3
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local last = ARGV[3] or ''
if #ARGV < 3 or #ARGV % WORDS ~= 0 or #ARGV > 3 + MOST * WORDS then return checks.refusal('malformed sessions') end
if not is_flag(last) then return checks.refusal('malformed last') end
for place = 4, #ARGV, WORDS do
  local session, other, deadline = unpack(ARGV, place, place + WORDS - 1)
  if not checks.is_told_session(session) then return checks.refusal('malformed session') end
  if not checks.is_plain(other) then return checks.refusal('malformed other') end
  if not checks.is_time_or_none(deadline) then return checks.refusal('malformed deadline') end
end
local peer, not_here = peers.with_link(ARGV[1], ARGV[2])
if not peer then return not_here end
local told = (#ARGV - 3) / WORDS
if frames.unacked(peer) + told > group.conf.most_frames then return checks.refusal('behind') end

local counts = { restored = 0, provisional = 0, freed = 0 }
for place = 4, #ARGV, WORDS do
  local outcome = resyncing.take(peer, ARGV[place], ARGV[place + 1], ARGV[place + 2])
  counts[outcome] = counts[outcome] + 1
end
group.count('freed', counts.freed)
if counts.restored > 0 then tell_timers(group.tag) end -- deadlines that it told may be near
if last == '1' then resyncing.finish(peer) end
group.close()
return { '1', string.format('%d', counts.restored), string.format('%d', counts.provisional),
  string.format('%d', counts.freed), last }
