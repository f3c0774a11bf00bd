-- Writes what the script has changed in the desk's own fields, and wakes who watches.
if seq ~= first_seq then
  local woken = (h[7] or 0) + 0
  local wakes = now_ms - woken >= 100 or now_ms < woken
  call('HSET', DESK, 'seq', int(seq), 'clock', int(now), 'joined', joined_total, 'answered', answered_total, 'abandoned', abandoned_total,
    'ticket', last_ticket, 'woken', wakes and int(now_ms) or h[7] or '0')
  if now < h[3] + 0 then call('HSET', DESK, 'ahead', 0) end -- the clock was: sweeps look at what it has written
  if wakes then redis.pcall('PUBLISH', DESK .. ':wake', '') end
end
