-- Replies about messages: [1, bal, seq, credit], then for each message answer, letter of the state, charged, quoted,
-- flag.
local replies = {}

function replies.new()
  return { '1', '', '', '' }
end

-- message: false if it does not exist.
function replies.add(reply, answer, message, flag)
  local letter, charged, quoted = '', '0', '0'
  if message then
    letter = messages.LETTER[message.state]
    if message.state ~= 'parked' then charged, quoted = messages.charged(message), message.quoted end
  end
  local place = #reply
  reply[place + 1], reply[place + 2], reply[place + 3] = answer, letter, charged
  reply[place + 4], reply[place + 5] = quoted, flag
end

-- Closes the wallet and returns its figures.
function replies.close(reply)
  wallet.close()
  reply[2], reply[3], reply[4] = wallet.balance_text, wallet.seq_text, wallet.credit_text
  return reply
end
