-- Workers of apps, the functions they serve, and the calls that wait for one or are run by one.
-- former release: runs
create schema pipelines;

-- Workers that are connected, or were a moment ago. Times are the database's.
create table pipelines.workers (
  id text primary key,
  org_id text not null,
  app_id text not null references apps.apps on delete cascade,
  -- Only the same principal may go on as this worker.
  principal_id text not null,
  sdk_version text not null,
  concurrency integer not null check (concurrency between 1 and 100),
  -- Number of its current stream. A replica with an older one gives it no more calls.
  stream bigint not null,
  connected_at timestamptz not null,
  expires_at timestamptz not null
);
create index workers_by_app on pipelines.workers (app_id);

create table pipelines.served (
  worker_id text not null references pipelines.workers on delete cascade,
  kind text not null check (kind in ('function', 'pipeline')),
  name text not null,
  app_id text not null,
  primary key (worker_id, kind, name)
);
create index served_by_name on pipelines.served (app_id, kind, name);

-- As the last worker that registered a function described it. It stays while no worker is connected.
create table pipelines.functions (
  app_id text not null references apps.apps on delete cascade,
  name text not null,
  org_id text not null,
  description text not null,
  -- JSON as it was sent, because the order of properties helps its readers.
  input_schema text not null,
  timeout_seconds integer not null,
  repeatable boolean not null,
  registered_at timestamptz not null,
  primary key (app_id, name)
);
create index functions_by_org on pipelines.functions (org_id, app_id, name);

-- A call ends by the deletion of its row, or, if a replica waits for the answer, by the answer that it then takes away.
create table pipelines.calls (
  id text primary key,
  org_id text not null,
  app_id text not null,
  kind text not null check (kind in ('function', 'pipeline')),
  name text not null,
  -- Id of the pipeline run.
  reference text,
  -- Sealed; null once the call has ended.
  input text,
  repeatable boolean not null,
  state text not null check (state in ('queued', 'running', 'ended')),
  created_at timestamptz not null,
  deadline timestamptz not null,
  started_at timestamptz,
  worker_id text,
  -- Number of the grant to the worker. A result with another one is refused.
  fence bigint,
  ended_at timestamptz,
  -- Sealed.
  result text
);
create index calls_queued on pipelines.calls (app_id, id) where state = 'queued';
create index calls_running on pipelines.calls (worker_id) where state = 'running';
create index calls_by_deadline on pipelines.calls (deadline);
create index calls_by_reference on pipelines.calls (reference) where reference is not null;
