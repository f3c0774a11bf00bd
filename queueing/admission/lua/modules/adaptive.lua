-- The adaptive cap: it grows by a fixed step and shrinks by a factor, depending on what was reported in an interval.
local adaptive = {}

adaptive.PERCENT = 100
adaptive.BUSY_TENTHS = 8 -- the cap only grows if this share of it is used
adaptive.TENTHS = 10

-- Counts what a holder or device reports about the external system. ok: 1, 0 or '' if not reported; took_ms: or ''.
function adaptive.observe(ok, took_ms)
  if not gate.conf.adaptive or ok == '' then return end
  gate.count(ok == '1' and 'win_ok' or 'win_bad')
  if took_ms ~= '' then
    gate.count('win_took', took_ms + 0)
    gate.count('win_timed')
  end
end

-- Changes the cap when an interval is over. Returns the new cap as text, or '' if it stays the same.
function adaptive.adapt()
  local conf = gate.conf
  if not conf.adaptive or conf.status ~= 'open' then return '' end
  local rules = settings.adaptation(gate.field('adapt') or '')
  if not rules or gate.now - (gate.field('win_at') or 0) < rules.interval_us then return '' end
  local wanted, why = adaptive.wanted(conf.cap, rules)
  wanted = math.max(rules.least, math.min(rules.most, wanted))
  gate.set('win_at', gate.at)
  for _, counter in ipairs({ 'win_ok', 'win_bad', 'win_took', 'win_timed' }) do gate.set(counter, '0') end
  if wanted == conf.cap then return '' end
  gate.set_conf(settings.with_cap(conf.text, wanted, true))
  gate.log_of('resized', '', why, string.format('%d %d', conf.cap, wanted))
  return string.format('%d', wanted)
end

-- The cap that follows from the interval, and the reason.
function adaptive.wanted(cap, rules)
  local good, bad = (gate.field('win_ok') or 0) + 0, (gate.field('win_bad') or 0) + 0
  local timed = (gate.field('win_timed') or 0) + 0
  local mean_ms = timed > 0 and (gate.field('win_took') or 0) / timed or 0
  local lower = math.floor(cap * rules.down_percent / adaptive.PERCENT)
  if bad * adaptive.PERCENT > rules.error_percent * (good + bad) then return lower, 'errors' end
  if rules.latency_ms > 0 and mean_ms > rules.latency_ms then return lower, 'latency' end
  local is_busy = permits.used() * adaptive.TENTHS >= cap * adaptive.BUSY_TENTHS
  if good + bad > 0 and is_busy then return cap + rules.step_up, 'healthy' end
  return cap, ''
end
