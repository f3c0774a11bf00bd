-- Opens the wallet: names of keys, figures, the time; ends the script when there is no such wallet.
-- `conf` has fixed columns (billing/wallet/settings.py), because cutting is cheaper than parsing.
local call, sub, find, match, fmt = redis.call, string.sub, string.find, string.match, string.format
local ACCT = KEYS[1]
local MESSAGES, DEADLINES = KEYS[2] or ACCT .. ':messages', KEYS[3] or ACCT .. ':deadlines'
local LOG = KEYS[4] or ACCT .. ':log'
local acct = call('HMGET', ACCT, 'conf', 'seq', 'clock', 'bal', 'pend', 'held', 'spent', 'script_version', 'drained',
  'doubt')
local conf = acct[1]
if not conf then return { '-1', 'no such wallet' } end
if acct[8] - VERSION > 1 then return { '-1', outdated(acct[8], call('HGET', ACCT, 'script_sha')) } end
local seq, bal, held, spent = acct[2] + 0, acct[4] + 0, acct[6] + 0, acct[7] + 0
local first_seq, first_bal, first_held, receivable = seq, bal, held, nil
local now = now_us(acct[3])
local at = fmt('%d', now)
-- How much of the time is not believed, by period; nil as a rule. `doubt_after`: what is new of it.
local lags, settles, doubt_after
if now - acct[3] > 90000000 or acct[10] and acct[10] ~= '' then
  --@include doubt
end
local conf_after -- set when the day has turned: conf with the next midnight
if now - (lags and lags[1] > 0 and lags[1] + 90000000 or 0) >= sub(conf, 62, 71) * 1000000 then
  --@include roll
end
