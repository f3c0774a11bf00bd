-- A day of the account has begun: its spending starts at 0, the next midnight is looked up.
local next_midnight = sub(conf, 62, 71) + 0
for midnight in string.gmatch(call('HGET', ACCT, 'days') or '', '%d+') do
  if midnight + 0 > next_midnight then next_midnight = midnight + 0 end
  if next_midnight * 1000000 > now then break end
end
-- Days that nobody told: by 24 hours, until wallet.configure tells them.
if next_midnight * 1000000 <= now then
  next_midnight = next_midnight + 86400 * (math.floor((now / 1000000 - next_midnight) / 86400) + 1)
end
conf_after = sub(conf, 1, 61) .. fmt('%010d%05d', next_midnight, (sub(conf, 72, 76) + 1) % 100000) .. sub(conf, 77)
conf, spent = conf_after, 0
