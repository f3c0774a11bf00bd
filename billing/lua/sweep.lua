--[[ billing/sweep
Purpose: Does a limited part of the work that has become due: unsent holds are cancelled, sent ones without a report
  expire, parked reports become orphans, and unpaid session messages end. In safe mode, does nothing.
KEYS as billing/cancel
ARGV[1] limit             of each kind at most, 1 to 1 000
Reply: [1, more, cancelled, expired, orphans, unpaid that ended, now, next]; more = 1: call again at once; now and
  next in µs: nothing is due before next
Errors: -1 "no such wallet", "script outdated …", "malformed limit"
Complexity: O(limit × log n)
Full server: runs
Version: 1
]]
local MOST, NEXT_IN_SAFE_MODE_US = 1000, 60000000
local limit = whole(ARGV[1], 1, MOST)
if not limit then return checks.refusal('malformed limit') end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
if wallet.conf.status == 'recovering' then -- nothing ends; billing/status tells the timers when it opens
  return { '1', '0', '0', '0', '0', '0', wallet.at, string.format('%d', wallet.now + NEXT_IN_SAFE_MODE_US) }
end

local is_walking = repair.put_back(limit)
local due, ended = endings.end_due(limit)
local orphans = parked.end_due(limit)
local unpaid = sessions.end_due(limit)
wallet.close()
local was_ahead = wallet.now < wallet.last
local more = was_ahead or is_walking or due == limit or orphans == limit or unpaid == limit
return { '1', more and '1' or '0', string.format('%d', ended.cancelled), string.format('%d', ended.expired),
  string.format('%d', orphans), string.format('%d', unpaid), wallet.at, string.format('%d', timing.next_us()) }
