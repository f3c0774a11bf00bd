-- The outcome of an instance's sessions, and its consequences. {disp}:health has a record for each name. Nothing here
-- changes the manual state.
--   since               µs at which its window began, or ''; sessions, failures: of this window
--   times               how many ejections count for the length of the next one
--   ejected_at, until   µs of the ejection, or ''; until stays after it has passed
--   warm_at             µs at which its slow start began, or ''
-- {disp}:answers has the sessions whose instance has not sent anything yet, by the time at which this is a failure.
-- Rarely needed.
local health = {}

health.RECORD = '^(%d*)\t(%d+)\t(%d+)\t(%d+)\t(%d*)\t(%d*)\t(%d*)$'
health.MOST_TIMES = 10
health.LEAST_SHARE = 0.1
health.WHOLE_PERCENT = 100

function health.of(name)
  return health.parse(name, redis.call('HGET', group.tag .. ':health', name) or '')
end

-- A name without a record is like one with ''.
function health.parse(name, record)
  local since, ended, failures, times, ejected_at, ends_at, warm_at = string.match(record, health.RECORD)
  return {
    name = name,
    since = since or '',
    sessions = (ended or 0) + 0,
    failures = (failures or 0) + 0,
    times = (times or 0) + 0,
    ejected_at = ejected_at or '',
    ends_at = ends_at or '',
    warm_at = warm_at or '',
  }
end

function health.write(its)
  local record = table.concat({ its.since, string.format('%d', its.sessions), string.format('%d', its.failures),
    string.format('%d', its.times), its.ejected_at, its.ends_at, its.warm_at }, '\t')
  redis.call('HSET', group.tag .. ':health', its.name, record)
end

-- All records.
function health.all()
  local all, flat = {}, redis.call('HGETALL', group.tag .. ':health')
  for place = 1, #flat, 2 do all[#all + 1] = health.parse(flat[place], flat[place + 1]) end
  return all
end

function health.is_ejected(name)
  return health.of(name).ejected_at ~= ''
end

-- The session's instance has answer_us to send something.
function health.expect(session)
  redis.call('ZADD', group.tag .. ':answers', group.after(group.conf.answer_us), session)
end

-- Returns whether this is the first answer of the session's instance.
function health.answer(session)
  return redis.call('ZREM', group.tag .. ':answers', session) == 1
end

-- Counts a session's outcome. is_first: nothing was counted for the session before.
function health.count(back, has_failed, is_first)
  local its = health.of(back.name)
  local is_over = its.since == '' or its.since + group.conf.failure_window_us <= group.now
  if is_over or its.since + 0 > group.now then its.since, its.sessions, its.failures = group.at, 0, 0 end
  if is_first then its.sessions = its.sessions + 1 end
  if has_failed then its.failures = math.min(its.failures + 1, its.sessions) end
  if has_failed and its.ejected_at == '' and health.is_failing(its) then
    if health.may_eject(back) then return health.eject(back, its) end
    its.since = '' -- checked again after failure_sessions more sessions
  end
  health.write(its)
end

function health.is_failing(its)
  local conf = group.conf
  return its.sessions >= conf.failure_sessions
    and its.failures * health.WHOLE_PERCENT >= conf.failure_percent * its.sessions
end

-- Whether the limit of ejected instances allows one more, and another instance can take its sessions.
function health.may_eject(back)
  local many, ejected = 0, 1
  for _, name in ipairs(names.all()) do
    if name.back ~= '' then
      many = many + 1
      if health.is_ejected(name.name) then ejected = ejected + 1 end
    end
  end
  if ejected * health.WHOLE_PERCENT > many * group.conf.ejected_percent then return false end
  local id, reason = choosing.least({ [back.id] = true })
  return id ~= nil or reason == 'all full'
end

-- Ejects the instance: it gets no new sessions for the base time, multiplied by the number of its ejections. Each base
-- time that it has served since reduces that number by one.
function health.eject(back, its)
  local base_us = group.conf.ejection_us
  local served_us = its.ends_at ~= '' and group.now - its.ends_at or 0
  its.times = math.max(0, its.times - math.floor(math.max(0, served_us) / base_us)) + 1
  its.times = math.min(its.times, health.MOST_TIMES)
  its.ejected_at, its.ends_at = group.at, group.after(base_us * its.times)
  its.warm_at = ''
  health.write(its)
  names.note_end(its.ends_at)
  ready.leave(back)
  group.count('ejections')
  group.count('ejected')
  local share = string.format('%d of %d sessions failed', its.failures, its.sessions)
  peers.log('ejected', back, share, its.failures, its.ends_at)
  tell_timers(group.tag)
  retrying.offer(back, false)
end

-- Ends the ejection for this reason. A new window and the slow start begin.
function health.restore(its, reason)
  local length = string.format('%d', math.max(0, math.floor((group.now - its.ejected_at) / settings.SECOND_US)))
  its.ejected_at, its.since, its.sessions, its.failures = '', '', 0, 0
  if its.ends_at + 0 > group.now then its.ends_at = group.at end
  health.warm(its)
  health.write(its)
  group.count('ejected', -1)
  local name = names.of(its.name)
  local back = name and names.instance(name)
  if back then ready.settle(back) end
  group.log('returned', back and back.key, its.name, '', '', reason, length)
end

-- Ends ejections whose time has passed. Returns the earliest end of the others, or `first`.
function health.restore_due(first)
  for _, its in ipairs(health.all()) do
    if its.ejected_at ~= '' then
      if its.ends_at + 0 <= group.now then
        health.restore(its, 'its time has passed')
      elseif first == '' or its.ends_at + 0 < first + 0 then
        first = its.ends_at
      end
    end
  end
  return first
end

-- Ends ejections that began by a clock that was ahead.
function health.restore_ahead()
  for _, its in ipairs(health.all()) do
    if its.ejected_at ~= '' and its.ejected_at + 0 > group.now then health.restore(its, 'its time has passed') end
  end
end

-- A program has started under this name, so the earlier counts no longer apply.
function health.begin(name)
  local its = health.of(name)
  if its.ejected_at ~= '' then
    health.restore(its, 'restarted')
  elseif its.sessions > 0 or group.conf.slow_start_us > 0 then
    its.since, its.sessions, its.failures = '', 0, 0
    health.warm(its)
    health.write(its)
  end
end

function health.warm(its)
  its.warm_at = group.conf.slow_start_us > 0 and group.at or ''
end

-- The fraction of its weight that an instance has during its slow start, up to 1.
function health.warmth(name)
  local slow_us = group.conf.slow_start_us
  local its = slow_us > 0 and health.of(name)
  if not its or its.warm_at == '' then return 1 end
  return math.min(1, math.max(health.LEAST_SHARE, (group.now - its.warm_at) / slow_us))
end

-- Updates the load of instances in their slow start, because their shares have grown.
function health.weigh_warming()
  for _, its in ipairs(health.all()) do
    local name = its.warm_at ~= '' and names.of(its.name)
    local back = name and names.instance(name)
    if its.warm_at ~= '' and (its.warm_at + group.conf.slow_start_us <= group.now or its.warm_at + 0 > group.now) then
      its.warm_at = ''
      health.write(its)
    end
    if back then ready.weigh(back, peers.sessions(back)) end
  end
end
