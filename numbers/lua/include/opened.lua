-- pool holds the first five fields of the tag's hash: the settings, the time; ends the script when
-- there is no such pool. `conf` has fixed columns (numbers/pool/settings.py): cutting is cheaper than parsing.
local conf = pool[1]
if not conf then return { '-1', '', '', 'no such pool' } end
if pool[5] and pool[5] - VERSION > 1 then
  return { '-1', '', '', outdated(pool[5], call('HGET', POOL, 'script_sha')) }
end
local seq, carried = pool[2] + 0, pool[4] + 0
local first_seq = seq
local now = now_us(pool[3])
local at = fmt('%d', now)
