-- When a day of the pool ends in the timezone in which it began, so that a change of the timezone begins no other day
-- before. Each day names the one before it, so that two processes which saw different timezones do not both begin one.
-- Null in days that a former release began.
-- former release: runs
alter table ai.agent_pool_days
  add column ends_at timestamptz,
  add column former_day date;
create unique index agent_pool_days_chain on ai.agent_pool_days (org_id, former_day);
