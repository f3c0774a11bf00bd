--[[ numbers/quarantine
Purpose: Takes numbers out of picking with a reason, or lets them back; calls that run go on.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] on                 1 quarantine, 0 release
ARGV[2] reason             for the history and the number, up to 200 bytes
ARGV[3+] numbers            1 to 1 000 numbers
Reply: for each number [outcome, number, state, reason]; reason "repeat" = it was so already
Errors: -1 "no such pool", "script outdated …", "malformed …"; 0 "unknown number"
Complexity: O(numbers × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local on = ARGV[1]
if (on ~= '0' and on ~= '1') or #ARGV < 3 or #ARGV > 1002 then return { '-1', '', '', 'malformed quarantine' } end
local reason = slow.clean(ARGV[2])
local replies = {}
for i = 3, #ARGV do
  local number = ARGV[i]
  local outcome, state, said = '1', 'nodata', ''
  local b, u, since, props = slow.read(number)
  if not b then
    outcome, said = '0', 'unknown number'
  else
    state = slow.state(b, u)
    local held, why, rest = slow.holding(props)
    if held == 'o' then
      props = slow.unoffer(number, since, props, true)
      slow.write(number, b, u, since, props)
      slow.enter(number, since, props)
      held, why, rest = '', '', props
    end
    if (find(held, 'q', 1, true) ~= nil) == (on == '1') then
      said = 'repeat'
    else
      local left = on == '1' and held .. 'q' or string.gsub(held, 'q', '')
      local code = (b == '1' and 'b' or 'i') .. (u == '1' and 'u' or 'd')
      local pickable = b == '0' and u == '1'
      if pickable and held == '' then
        slow.take_out(number)
        call('HINCRBY', POOL, 'aside', 1)
      end
      if pickable and left == '' and since + 0 < now then since = at end
      slow.write(number, b, u, since, slow.hold(left, on == '1' and slow.json(reason) or '', rest))
      if pickable and left == '' then
        call('HINCRBY', POOL, 'aside', -1)
        slow.enter(number, since, rest)
      end
      call('HINCRBY', POOL, 'quarantined', on == '1' and 1 or -1)
      slow.log(on == '1' and 'quarantined' or 'unquarantined', number, code .. held, code .. left, reason, '', '', since)
    end
  end
  local n = #replies
  replies[n + 1], replies[n + 2], replies[n + 3], replies[n + 4] = outcome, number, state, said
end
if sub(conf, 4, 4) == '1' then slow.serve() end
seq, conf = slow.synced()
--@include close
return replies
