-- The maintenance agent: what organizations and apps have switched on, its runs, and what they read.
-- former release: runs
create schema maintenance;

create table maintenance.orgs (
  org_id text primary key,
  enabled boolean not null,
  model text,
  nightly_cron text not null,
  timezone text not null,
  cooldown_hours integer not null,
  updated_by text not null,
  updated_at timestamptz not null,
  check (model is not null or not enabled)
);

-- An app without a row is off.
create table maintenance.apps (
  app_id text primary key references apps.apps on delete cascade,
  org_id text not null,
  enabled boolean not null,
  updated_by text not null,
  updated_at timestamptz not null
);
create index apps_by_org on maintenance.apps (org_id);

create table maintenance.runs (
  id text primary key,
  org_id text not null,
  app_id text not null references apps.apps on delete cascade,
  mode text not null check (mode in ('nightly', 'manual')),
  model text not null,
  -- The person who started it by hand.
  requested_by text,
  -- A key stands for its run for good: a repeated start gets the run as it is then.
  idempotency_key text,
  -- The time of the schedule that a nightly run belongs to.
  slot_at timestamptz,
  status text not null check (status in ('queued', 'running', 'validating', 'ended')),
  terminal_code text,
  -- Grows with each claim. Writes of a run name it, so that a worker that lost its claim writes nothing.
  fence bigint,
  lease_until timestamptz,
  tokens_spent bigint not null default 0,
  summary text,
  fingerprint text,
  proposal_id text,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (app_id, slot_at),
  unique (app_id, idempotency_key),
  check ((status = 'ended') = (terminal_code is not null)),
  check ((status = 'ended') = (ended_at is not null))
);
-- One run holds an app at a time, however many workers there are.
create unique index runs_live on maintenance.runs (app_id) where status <> 'ended';
create index runs_page on maintenance.runs (app_id, id desc);

create table maintenance.evidence (
  run_id text not null references maintenance.runs on delete cascade,
  n integer not null,
  kind text not null,
  reference text not null,
  sha256 text not null,
  bytes integer not null,
  primary key (run_id, n)
);

-- A fault of an app, over all runs that saw it.
create table maintenance.findings (
  app_id text not null references apps.apps on delete cascade,
  fingerprint text not null,
  kind text not null,
  path text,
  symbol text,
  template text not null,
  summary text not null,
  first_run_id text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  count integer not null,
  primary key (app_id, fingerprint)
);

-- What was decided about each night of each app, once, however many workers there are.
create table maintenance.nights (
  app_id text not null references apps.apps on delete cascade,
  slot_at timestamptz not null,
  decision text not null check (decision in ('started', 'skipped', 'cooldown', 'missed')),
  decided_at timestamptz not null,
  primary key (app_id, slot_at)
);
