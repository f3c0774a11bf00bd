-- What no event may overlook: registrations that have ended, the next day.
if sub(conf, 104, 119) <= at then
  slow = machinery(now, at)
  slow.sync(seq, conf)
  slow.keep_up()
  seq, conf = slow.synced()
end
