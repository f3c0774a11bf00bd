--[[ numbers/release
Purpose: Releases the calls of superseded incarnations, one batch at a time.
KEYS as numbers/event
ARGV[1] batch              calls at most, 1 to 1 000
Reply: [1, released, "", reason]; reason "more" = call again
Errors: -1 "no such pool", "script outdated …", "malformed batch"
Complexity: O(batch × log n)
Full server: runs
Version: 1
]]
local MOST = 1000
local batch = whole(ARGV[1], 1, MOST)
if not batch then return pool.refusal('malformed batch') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local lacking = rights.lacking()
if lacking then return lacking end
local released, is_more = lives.release(batch)
pool.close()
return { '1', string.format('%d', released), '', is_more and 'more' or '' }
