--[[ numbers/label
Purpose: Gives numbers their region, by which near numbers are found.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1+] rows               number, region ("" = none), number, region, …; at most 1 000 numbers
Reply: [1, numbers changed, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed rows"
Complexity: O(rows × log n)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
if #ARGV % 2 ~= 0 or #ARGV < 2 or #ARGV > 2000 then return { '-1', '', '', 'malformed rows' } end
for i = 2, #ARGV, 2 do
  if #ARGV[i] > 40 or find(ARGV[i], '[^%w_.-]') then return { '-1', ARGV[i - 1], '', 'malformed rows' } end
end
local changed = 0
for i = 1, #ARGV, 2 do
  local number, name = ARGV[i], ARGV[i + 1]
  local b, u, since, props = slow.read(number)
  if b then
    local region = name ~= '' and slow.region(name) or nil
    local held, why, rest = slow.holding(props)
    local before = match(rest, '^,"region":(%d%d%d%d)')
    if before ~= region then
      if before then rest = sub(rest, 15) end
      rest = (region and ',"region":' .. region or '') .. rest
      slow.write(number, b, u, since, slow.hold(held, why, rest))
      if sub(conf, 2, 2) == '1' then
        call('ZREM', NEAR, number)
        if b == '0' and u == '1' and held == '' then slow.enter(number, since, rest) end
      end
      changed = changed + 1
    end
  end
end
seq, conf = slow.synced()
--@include close
return { '1', fmt('%d', changed), '', '' }
