-- Problems listed for operators. Each flag is listed once for each reported mode, and 16 times for a message or less,
-- so that a gateway that repeats itself does not fill the list. The message's record has "!<five letters>:<reported>"
-- for each.
local flags = {}

flags.MOST = 16
flags.START = '^.?.?.?.?.?' -- five letters are enough to distinguish them

-- reported: a mode, or one of: failed interim cancel ?
function flags.list(message, flag, reported)
  local said = '!' .. string.match(flag, flags.START) .. ':' .. reported
  local _, count = string.gsub(message.listed, '!', '')
  if count >= flags.MOST or string.find(message.listed .. '!', said .. '!', 1, true) then return end
  local mode, paid = string.match(message.outcome, '^(.*)=(%d+)$')
  local difference = string.format('%d', flags.difference(message, flag, reported, paid or 0))
  messages.log('flag', message, '0', '0', '\t' .. (mode or '') .. '\t' .. (paid or '0') .. '\t' .. flag .. '\t'
    .. reported .. '\t' .. difference)
  message.listed = message.listed .. said
  messages.write(message)
end

-- The price of what was delivered minus what was paid, according to this report and the stored prices.
function flags.difference(message, flag, reported, paid)
  if flag == 'unreadable' then return 0 end
  return (tariff.price(message, reported) or 0) - paid
end
