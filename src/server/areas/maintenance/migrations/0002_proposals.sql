-- What runs with a model need: the revision they look at, what they spent, the edits they stage, and the proposals that
-- become of them.
-- former release: runs
alter table maintenance.runs
  -- The revision that was live when the run began. All its reads and edits are of this one.
  add column revision_id text,
  -- Equal digests mean that nothing changed since an earlier run.
  add column evidence_digest text,
  add column input_tokens bigint not null default 0,
  add column output_tokens bigint not null default 0;

-- Exact replacements that a run staged, in order. `old_text` occurs once in the file as the edits before leave it.
create table maintenance.edits (
  run_id text not null references maintenance.runs on delete cascade,
  n integer not null,
  path text not null,
  old_text text not null,
  new_text text not null,
  primary key (run_id, n)
);

-- A change of an app's source that waits for a person's decision. Its edits are those of its run.
create table maintenance.proposals (
  id text primary key,
  org_id text not null,
  app_id text not null references apps.apps on delete cascade,
  run_id text not null references maintenance.runs on delete cascade,
  fingerprint text not null,
  summary text not null,
  -- The person who started the run by hand.
  requested_by text,
  -- The calendar day in the organization's maintenance timezone.
  day date not null,
  status text not null check (status in ('validating', 'ready', 'invalid', 'approved', 'denied')),
  base_revision_id text not null,
  -- The revision that the edits make of the base. Null if they make none.
  revision_id text,
  -- What was checked: `static`, `built`, `tested` or `not_run`.
  validation text,
  invalid_reason text,
  decided_by text,
  decided_at timestamptz,
  -- The deploy that an approval queued.
  deploy_id text,
  -- The claim of the worker that validates it again.
  fence bigint,
  lease_until timestamptz,
  created_at timestamptz not null,
  -- One a day, however many runs and workers there are.
  unique (app_id, day),
  check ((status in ('approved', 'denied')) = (decided_at is not null))
);
create index proposals_page on maintenance.proposals (app_id, id desc);
create index proposals_by_org on maintenance.proposals (org_id, id desc);
create index proposals_validating on maintenance.proposals (id) where status = 'validating';

-- A fault whose proposal was denied is not proposed again while the file is the same.
alter table maintenance.findings
  add column denied_at timestamptz,
  add column denied_sha256 text;
