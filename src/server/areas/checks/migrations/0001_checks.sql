-- Checks of apps, their schedule and condition, and the history of their runs.
-- former release: runs
create schema checks;

create table checks.checks (
  id text primary key,
  org_id text not null,
  app_id text not null references apps.apps on delete cascade,
  name text not null,
  -- As the contract has it; `kind` is a part of it.
  definition jsonb not null,
  -- Either {every_minutes} or {cron, timezone}.
  schedule jsonb not null,
  threshold integer not null check (threshold >= 1),
  enabled boolean not null,
  -- Grows with each change of what is run, so that the result of an older run does not count.
  version integer not null default 1,
  -- The next slot of the schedule. Null while the check is paused.
  next_at timestamptz,
  state text not null check (state in ('unknown', 'pass', 'failing', 'fail', 'error', 'indeterminate')),
  state_since timestamptz not null,
  consecutive_fails integer not null default 0,
  -- Whether application.check.failed was emitted and application.check.recovered not yet.
  alert_open boolean not null default false,
  last_verdict text check (last_verdict in ('pass', 'fail', 'error', 'indeterminate')),
  last_run_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  unique (app_id, name),
  check (enabled = (next_at is not null))
);
create index checks_page on checks.checks (app_id, id desc);
create index checks_due on checks.checks (next_at) where next_at is not null;

-- Without a foreign key: a check can have tens of thousands of runs, which are deleted in small steps once it is gone.
create table checks.runs (
  id text primary key,
  check_id text not null,
  org_id text not null,
  app_id text not null,
  trigger text not null check (trigger in ('schedule', 'manual')),
  -- Slot of the schedule. Null for a run that a person started.
  slot timestamptz,
  requested_by text,
  state text not null check (state in ('queued', 'running', 'ended')),
  fence bigint,
  lease_until timestamptz,
  -- How often it was begun. One that its process could not finish is begun again once.
  attempt integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  verdict text check (verdict in ('pass', 'fail', 'error', 'indeterminate')),
  code text,
  detail text,
  tokens integer,
  unique (check_id, slot),
  check ((state = 'running') = (lease_until is not null)),
  check ((state = 'ended') = (verdict is not null))
);
create index runs_page on checks.runs (check_id, id desc);
-- A check has one run at a time and at most one that waits, so results come in the order of their runs.
create unique index runs_one_queued on checks.runs (check_id) where state = 'queued';
create unique index runs_one_running on checks.runs (check_id) where state = 'running';
