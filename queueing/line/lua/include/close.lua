-- Writes what the script has changed in the desk's own fields, and wakes who watches.
if seq ~= first_seq then
  local woken = (h[7] or 0) + 0
  if now_ms - woken >= 100 or now_ms < woken then
    call('HSET', DESK, 'seq', int(seq), 'clock', int(now), 'woken', int(now_ms))
    call('PUBLISH', DESK .. ':wake', '')
  else
    call('HSET', DESK, 'seq', int(seq), 'clock', int(now))
  end
end
