--[[ numbers/configure
Purpose: Writes new settings. Status, flags and counters don't change.
KEYS as numbers/event
ARGV[1] columns            near, charged, "0|" and the numbers: conf from column 2
ARGV[2] days               coming midnights, s since 1970, joined by spaces
ARGV[3] log_limit          entries
ARGV[4] script_sha         SHA-1 of numbers/event
ARGV[5] added_by_script    lend, confirm or refuse: what becomes of a number that the event add brings
ARGV[6] media              switches whose restart ends their calls, joined by tabs; any other is a proxy
Reply: [1, "", "", reason]; reason "refresh" = numbers must be checked (numbers/scan with mend)
Errors: -1 "no such pool", "script outdated …", "malformed columns"
Complexity: O(1); O(numbers) in the background when near goes off
Version: 1
]]
local written, days, log_limit, rule, media = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[5], ARGV[6] or ''
if not columns.are_columns(written) then return pool.refusal('malformed columns') end
if string.find(days, '[^%d ]') or not string.find(log_limit, '^%d+$') then return pool.refusal('malformed settings') end
if not columns.RULES[rule] then return pool.refusal('malformed added_by_script') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end

local before = pool.conf
local after = settings.read(columns.configured(before.text, written))
local kept = redis.call('HMGET', pool.tag, 'added_by_script', 'media', 'longer_until')
local is_changed = after.text ~= before.text or rule ~= (kept[1] or 'lend') or media ~= (kept[2] or '')
if after.lease_ms ~= before.lease_ms or after.suspect_ms ~= before.suspect_ms then
  -- Calls may last by the terms before: see repair.put_back.
  local longer_ms = math.floor(pool.now / 1000) + math.max(before.lease_ms, before.suspect_ms)
  pool.set('longer_until', string.format('%d', math.max(tonumber(kept[3]) or 0, longer_ms)))
end
if after.near ~= before.near then redis.call('UNLINK', pool.tag .. ':idle:near') end
pool.conf = settings.read(columns.with(after.text, 'looks', columns.time(0) .. columns.time(0))) -- looked at anew
redis.call('HSET', pool.tag, 'conf', pool.conf.text, 'days', days, 'log_limit', log_limit, 'script_sha', ARGV[4] or '',
  'script_version', VERSION, 'added_by_script', rule, 'media', media)
if is_changed then pool.log_of_all('configured') end
pool.close()
tell_timers(pool.tag)
local must_refresh = after.near and not before.near or after.cap ~= before.cap
return { '1', '', '', must_refresh and 'refresh' or '' }
