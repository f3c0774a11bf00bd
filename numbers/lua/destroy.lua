--[[ numbers/destroy
Purpose: Deletes a pool's data. Every event then returns "no such pool".
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
KEYS[8] {pool}:charges        ZSET    as numbers/voucher
ARGV[1] generation         of the data that is there
Reply: [1, "", "", ""]; reason "repeat" = there was none
Errors: -1 "other generation"
Complexity: O(1)
Full server: runs
Version: 1
]]
local tag = KEYS[1]
local generation = redis.call('HGET', tag, 'generation')
if not generation then return { '1', '', '', 'repeat' } end
if generation ~= ARGV[1] then return pool.refusal('other generation') end
for _, name in ipairs(pool.keys(tag)) do redis.call('UNLINK', name) end
redis.pcall('PUBLISH', tag .. ':wake', '')
return { '1', '', '', '' }
