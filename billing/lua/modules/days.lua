-- The account's day: at its midnight the spending starts at 0. What a call finds is kept with its first entry.
local days = {}

days.SECONDS = 86400

-- The clock says that the day is over. A midnight within a gap of the clock waits as an unsent message's hold does.
function days.turn()
  local lag = wallet.lags.message
  local believed = lag > 0 and wallet.now - lag - clock.BELIEVED_US or wallet.now
  if believed < wallet.conf.midnight_us then return end
  wallet.new_conf = settings.with_next_day(wallet.conf, days.next_midnight())
  wallet.conf, wallet.spent = settings.read(wallet.new_conf), 0
end

-- The first midnight after now, in s. Days that nobody told have 24 hours, until wallet.configure tells them.
function days.next_midnight()
  local now = wallet.now / settings.SECOND_US
  local midnight = wallet.conf.midnight_us / settings.SECOND_US
  for told in string.gmatch(wallet.field('days') or '', '%d+') do
    midnight = math.max(midnight, told + 0)
    if midnight > now then return midnight end
  end
  return midnight + days.SECONDS * (math.floor((now - midnight) / days.SECONDS) + 1)
end
