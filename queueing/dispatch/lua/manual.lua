--[[ dispatch/manual
Purpose: An operator opens, drains or blocks a name. When it is blocked, its instance's sessions are void, and sweeps
  notify both ends.
KEYS as dispatch/start
ARGV[1] name           of the instance
ARGV[2] state          o open, d drain, b blocked
ARGV[3] until          µs at which it opens by itself, or ""; one that has passed: it is opened
ARGV[4] reason         200 characters at most
Reply: [1, state before, sessions that are ended, "" or "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "too many names"
Complexity: O(log n), a block + frames that it has
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end
local id, letter, ends_at, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local state = names.MANUAL[letter]
if not checks.is_id(id) then return checks.refusal('malformed name') end
if not state then return checks.refusal('malformed state') end
if not checks.is_time_or_none(ends_at) then return checks.refusal('malformed until') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
if ends_at ~= '' and ends_at + 0 <= group.now then state, ends_at = 'open', '' end -- that time has passed
local known = names.of(id)
if not known and redis.call('HLEN', group.tag .. ':names') >= checks.MOST_NAMES then
  return checks.refusal('too many names')
end
local name = known or names.new(id)
local before, ended = name.manual, 0
if known and before == state and name.ends_at == ends_at then return { '1', names.LETTER[before], '0', 'repeat' } end

name.manual, name.ends_at = state, ends_at
names.write(name)
names.note_end(ends_at)
local back = names.instance(name)
if back then
  if state == 'blocked' and before ~= 'blocked' then
    ready.leave(back)
    retrying.offer(back, false)
    ended = lives.void(back, 'block')
    peers.write(back)
  end
  ready.settle(back)
end
ended = string.format('%d', ended)
group.log(state, back and back.key, id, before, ended, reason, ends_at)
if ends_at ~= '' then tell_timers(group.tag) end
group.close()
return { '1', names.LETTER[before], ended, '' }
