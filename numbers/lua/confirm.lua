--[[ numbers/confirm
Purpose: SQL has taken numbers that the event add brought into a pool that confirms them: they may be picked now.
  Each names its add by the time, so that a later add of the same number, which SQL has not seen, is not meant.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1+] numbers            number, at (the µs of its add), number, at, …; at most 1 000 numbers
Reply: [1, numbers confirmed, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed rows"
Complexity: O(numbers × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
if #ARGV % 2 ~= 0 or #ARGV < 2 or #ARGV > 2000 then return { '-1', '', '', 'malformed rows' } end
for i = 2, #ARGV, 2 do
  if not find(ARGV[i], '^%d+$') or #ARGV[i] > 16 then return { '-1', ARGV[i - 1], '', 'malformed rows' } end
end
local confirmed = 0
for i = 1, #ARGV, 2 do
  if slow.confirm(ARGV[i], ARGV[i + 1]) then confirmed = confirmed + 1 end
end
if sub(conf, 4, 4) == '1' then slow.serve() end
seq, conf = slow.synced()
--@include close
return { '1', fmt('%d', confirmed), '', '' }
