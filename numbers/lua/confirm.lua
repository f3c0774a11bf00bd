--[[ numbers/confirm
Purpose: Confirms numbers that the event add brought and that are now in SQL: they may be picked. Each names the time of
  its add, so that a later add of the same number, which is not in SQL, stays unconfirmed.
KEYS as numbers/event
ARGV[1+] numbers            number, at (the µs of its add), number, at, …; at most 1 000 numbers
Reply: [1, numbers confirmed, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed rows"
Complexity: O(numbers × log n)
Version: 1
]]
local MOST = 2000 -- arguments
local TIME_DIGITS = 16
if #ARGV % 2 ~= 0 or #ARGV < 2 or #ARGV > MOST then return pool.refusal('malformed rows') end
for place = 1, #ARGV, 2 do
  if not is_digits(ARGV[place + 1], TIME_DIGITS) then return pool.refusal('malformed rows', ARGV[place]) end
end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local confirmed = 0
for place = 1, #ARGV, 2 do
  if membership.confirm(ARGV[place], ARGV[place + 1]) then confirmed = confirmed + 1 end
end
if pool.conf.special then waiting.serve() end
pool.close()
return { '1', string.format('%d', confirmed), '', '' }
