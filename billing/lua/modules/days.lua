-- The account's day: at its midnight, the spending starts again at 0. The change is stored with the operation's first
-- entry.
local days = {}

days.SECONDS = 86400

-- The day has ended. If midnight is within a gap of the clock, it is postponed like the hold of an unsent message.
function days.turn()
  local lag = wallet.lags.message
  local believed = lag > 0 and wallet.now - lag - clock.BELIEVED_US or wallet.now
  if believed < wallet.conf.midnight_us then return end
  wallet.new_conf = settings.with_next_day(wallet.conf, days.next_midnight())
  wallet.conf, wallet.spent = settings.read(wallet.new_conf), 0
end

-- The first midnight after now, in s. wallet.configure sets the length of days. Until then, they have 24 hours.
function days.next_midnight()
  local now = wallet.now / settings.SECOND_US
  local midnight = wallet.conf.midnight_us / settings.SECOND_US
  for told in string.gmatch(wallet.field('days') or '', '%d+') do
    midnight = math.max(midnight, told + 0)
    if midnight > now then return midnight end
  end
  return midnight + days.SECONDS * (math.floor((now - midnight) / days.SECONDS) + 1)
end
