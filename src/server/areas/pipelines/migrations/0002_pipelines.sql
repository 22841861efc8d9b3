-- Pipelines as workers declare them, their runs and what the runs logged. Rows of a pipeline are changed under the lock
-- of its row, so that a run starts once and a change of state is reported once.
-- former release: runs
create table pipelines.pipelines (
  id text primary key,
  org_id text not null,
  app_id text not null references apps.apps on delete cascade,
  name text not null,
  description text not null,
  -- Cron expression; null for a pipeline that runs by hand only.
  schedule text,
  timezone text not null,
  concurrency text not null check (concurrency in ('skip', 'queue')),
  timeout_seconds integer not null,
  enabled boolean not null default true,
  -- What was last reported. Null until a run of a scheduled pipeline has ended.
  state text check (state in ('ok', 'failed', 'host_offline', 'missed')),
  state_since timestamptz,
  -- The first time of the schedule that was not decided yet. Null when it is disabled or has no schedule.
  next_at timestamptz,
  created_at timestamptz not null,
  unique (app_id, name),
  check (next_at is null or (enabled and schedule is not null))
);
create index pipelines_due on pipelines.pipelines (next_at, id) where next_at is not null;

create table pipelines.runs (
  id text primary key,
  pipeline_id text not null references pipelines.pipelines on delete cascade,
  trigger text not null check (trigger in ('schedule', 'manual')),
  -- Two evaluators of the schedule cannot both decide one time.
  scheduled_at timestamptz,
  state text not null
    check (state in ('queued', 'running', 'succeeded', 'failed', 'skipped', 'missed', 'host_offline')),
  -- Set when the run was handed to the workers. A queued run without it waits for another one to end.
  call_id text,
  requested_by text,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  reason_code text,
  reason text,
  log_bytes integer not null default 0,
  log_lines integer not null default 0,
  log_is_full boolean not null default false,
  unique (pipeline_id, scheduled_at),
  check ((trigger = 'schedule') = (scheduled_at is not null)),
  check ((state in ('queued', 'running')) = (ended_at is null))
);
create index runs_page on pipelines.runs (pipeline_id, id desc);
create index runs_by_end on pipelines.runs (ended_at);
create index runs_waiting on pipelines.runs (pipeline_id, id) where call_id is null and ended_at is null;
create unique index runs_one_at_a_time on pipelines.runs (pipeline_id) where call_id is not null and ended_at is null;

create table pipelines.run_lines (
  run_id text not null references pipelines.runs on delete cascade,
  n integer not null,
  at timestamptz not null,
  level text not null,
  text text not null,
  primary key (run_id, n)
);
