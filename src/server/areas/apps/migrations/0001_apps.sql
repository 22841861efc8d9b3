-- Apps: their people and environment, immutable revisions of their source, deploys, and logs.
-- former release: runs
create schema apps;

create table apps.apps (
  id text primary key,
  org_id text not null,
  alias text not null,
  name text not null,
  -- First label of the app's host name. Made once, because a renamed organization must not move its apps.
  host_label text not null unique,
  build_command text,
  start_command text,
  health_path text not null,
  state text not null check (state in ('active', 'deleting')),
  created_by text not null,
  created_at timestamptz not null,
  unique (org_id, alias)
);
create index apps_page on apps.apps (org_id, id desc);

create table apps.people (
  app_id text not null references apps.apps on delete cascade,
  user_id text not null,
  part text not null check (part in ('builder', 'maintainer', 'administrator')),
  added_by text not null,
  added_at timestamptz not null,
  primary key (app_id, user_id)
);
create index people_by_user on apps.people (user_id);

create table apps.environment (
  app_id text not null references apps.apps on delete cascade,
  name text not null,
  -- Sealed.
  value text not null,
  updated_by text not null,
  updated_at timestamptz not null,
  primary key (app_id, name)
);

-- Contents of files. Organizations never share them: whether a content is stored must not tell what others have.
create table apps.blobs (
  org_id text not null,
  sha256 bytea not null,
  size integer not null,
  content bytea not null,
  -- When it was last uploaded, asked for or found in a revision. What no revision uses is removed a day later.
  used_at timestamptz not null,
  primary key (org_id, sha256),
  check (size = octet_length(content)),
  check (sha256 = sha256(content))
);
create index blobs_by_use on apps.blobs (used_at);

create table apps.revisions (
  id text primary key,
  app_id text not null references apps.apps on delete cascade,
  org_id text not null,
  digest bytea not null,
  -- Sorted by path: [{path, executable, size, sha256}].
  manifest jsonb not null,
  -- Counts as stored.
  manifest_bytes integer not null generated always as (octet_length(manifest::text)) stored,
  file_count integer not null,
  total_bytes bigint not null,
  message text,
  created_by text,
  created_at timestamptz not null,
  unique (app_id, digest)
);
create index revisions_page on apps.revisions (app_id, id desc);
create index revisions_by_org on apps.revisions (org_id, id);

-- What a revision holds never changes. Of blobs only used_at does.
create function apps.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a revision and its files cannot be changed' using errcode = 'restrict_violation';
end $$;
create trigger revisions_immutable before update on apps.revisions
  for each statement execute function apps.refuse_change();
create trigger blobs_immutable before update of org_id, sha256, size, content on apps.blobs
  for each statement execute function apps.refuse_change();

-- Bytes of blobs and manifests of each organization. Triggers keep it, so that it is right whoever adds or deletes.
create table apps.revision_stores (
  org_id text primary key,
  bytes bigint not null
);

create function apps.count_blobs() returns trigger language plpgsql as $$
begin
  insert into apps.revision_stores as store (org_id, bytes)
  select org_id, case tg_op when 'INSERT' then sum(size) else -sum(size) end from changed group by org_id
  on conflict (org_id) do update set bytes = store.bytes + excluded.bytes;
  return null;
end $$;
create trigger blobs_added after insert on apps.blobs referencing new table as changed
  for each statement execute function apps.count_blobs();
create trigger blobs_removed after delete on apps.blobs referencing old table as changed
  for each statement execute function apps.count_blobs();

create function apps.count_manifests() returns trigger language plpgsql as $$
begin
  insert into apps.revision_stores as store (org_id, bytes)
  select org_id, case tg_op when 'INSERT' then sum(manifest_bytes) else -sum(manifest_bytes) end
  from changed group by org_id
  on conflict (org_id) do update set bytes = store.bytes + excluded.bytes;
  return null;
end $$;
create trigger revisions_added after insert on apps.revisions referencing new table as changed
  for each statement execute function apps.count_manifests();
create trigger revisions_removed after delete on apps.revisions referencing old table as changed
  for each statement execute function apps.count_manifests();

create table apps.deploys (
  id text primary key,
  app_id text not null references apps.apps on delete cascade,
  org_id text not null,
  revision_id text not null references apps.revisions,
  kind text not null check (kind in ('deploy', 'rollback', 'proposal')),
  state text not null
    check (state in ('queued', 'building', 'starting', 'live', 'retired', 'failed', 'superseded')),
  -- How often it was begun. One that its process could not finish is begun again once.
  attempt integer not null default 0,
  -- The app's settings when it was begun: what is live starts again as it was deployed.
  build_command text,
  start_command text,
  health_path text,
  failure_code text,
  failure_detail text,
  requested_by text,
  created_at timestamptz not null,
  started_at timestamptz,
  live_at timestamptz,
  ended_at timestamptz,
  check ((state = 'failed') = (failure_code is not null))
);
create index deploys_page on apps.deploys (app_id, id desc);
create unique index deploys_one_queued on apps.deploys (app_id) where state = 'queued';
create unique index deploys_one_at_a_time on apps.deploys (app_id) where state in ('building', 'starting');
create unique index deploys_one_live on apps.deploys (app_id) where state = 'live';

-- Lines of builds and apps. The ids of one app are committed in ascending order, so a reader that goes on after the last
-- id it saw misses nothing.
create table apps.logs (
  id bigint generated always as identity,
  app_id text not null,
  deploy_id text,
  at timestamptz not null,
  -- debug 1, info 2, warn 3, error 4.
  level smallint not null,
  source text not null check (source in ('app', 'build', 'system', 'ingest')),
  text text not null,
  -- On a line that says so: how many lines were dropped before it.
  dropped integer not null default 0,
  primary key (app_id, id)
);
create index logs_by_deploy on apps.logs (deploy_id, id) where source in ('build', 'system');

-- How much of an app's log is stored, so that retention by size need not add it up.
create table apps.log_sizes (
  app_id text primary key references apps.apps on delete cascade,
  bytes bigint not null
);
