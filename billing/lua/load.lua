--[[ billing/load
Purpose: Puts messages back into a wallet in safe mode. Open holds that the books know only count as
  held; those that they do not know are charged now, as far as the balance goes.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
KEYS[6] {acct}:unpaid     ZSET    as billing/session
KEYS[7] {acct}:finals     LIST    as billing/pay_unpaid
ARGV[1+] rows             for each, at most 500: k (known to the books) or n (new), id, state as stored
Reply: [1, bal, seq, held], then for each: loaded, repeat, insufficient balance
Errors: -1 "no such wallet", "script outdated …", "not in safe mode", "malformed rows"
Complexity: O(rows × log n)
Version: 1
]]
--@include open
if sub(conf, 1, 1) ~= 'r' then return { '-1', 'not in safe mode' } end
if #ARGV == 0 or #ARGV > 1500 or #ARGV % 3 ~= 0 then return { '-1', 'malformed rows' } end
for i = 1, #ARGV, 3 do
  local id, st = ARGV[i + 1], ARGV[i + 2]
  if not find(ARGV[i], '^[kn]$') or id == '' or #id > 80 or find(id, '[^!-~]')
    or not find(st, '^[phstfecu][mcs]%d+|[^|]*|[%w_-]*\t%d*\t[%l%d-]*|[%w_=,;-]*$')
    or #match(st, '^..(%d+)') < 22 or #match(st, '^..(%d+)') > 37
    or (ARGV[i] == 'n' and not find('hs', sub(st, 1, 1), 1, true)) then
    return { '-1', 'malformed rows' }
  end
end
local reply, finals = { '1', '', '', '' }, {}
for i = 1, #ARGV, 3 do
  local id, st, answer = ARGV[i + 1], ARGV[i + 2], 'loaded'
  local letter, kind, since, quoted = sub(st, 1, 1), sub(st, 2, 2), sub(st, 8, 23), match(st, '^%d+', 24)
  if call('HEXISTS', MESSAGES, id) == 1 then
    answer = 'repeat'
  elseif letter == 'h' or letter == 's' then
    if ARGV[i] == 'n' then
      if quoted + 0 > bal then
        answer = 'insufficient balance'
      else
        bal, seq = bal - quoted, seq + 1
        call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'hold\t' .. id .. '\t-' .. quoted .. '\t' .. quoted .. '\t'
          .. letter .. '\t' .. kind .. '\t' .. quoted .. '\t' .. match(st, '^%d+|[^|]*|([^|]*)', 24)
          .. '\t\t0\t\t\t0\t0\t' .. match(st, '[^|]*$'))
      end
    end
    if answer == 'loaded' then
      held = held + quoted
      local limit = letter == 's' and sub(conf, 42, 48) or kind == 'c' and sub(conf, 35, 41) or sub(conf, 28, 34)
      call('ZADD', DEADLINES, fmt('%d', since + limit * 1000000), id)
    end
  elseif letter == 'p' then
    call('ZADD', KEYS[5] or ACCT .. ':parked', fmt('%d', since + sub(conf, 42, 48) * 1000000), id)
  elseif letter == 'u' then
    call('ZADD', KEYS[6] or ACCT .. ':unpaid', since, id)
  else
    finals[#finals + 1] = since .. 'm' .. id
  end
  if answer == 'loaded' then call('HSET', MESSAGES, id, st) end
  reply[#reply + 1] = answer
end
if finals[1] then call('RPUSH', KEYS[7] or ACCT .. ':finals', unpack(finals)) end
-- Holds that the books know change no balance: no entry, the figure is written all the same.
if seq == first_seq then call('HSET', ACCT, 'held', fmt('%d', held)) end
--@include close
reply[2], reply[3], reply[4] = fmt('%d', bal), fmt('%d', seq), fmt('%d', held)
return reply
