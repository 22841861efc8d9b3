-- Who asked which source, when, and how it went. Never what was asked or answered: sizes and keyed digests only.
create schema activity;

create table activity.records (
  id text primary key,
  org_id text not null,
  type text not null check (type in ('data_source', 'function')),
  source text not null check (source in ('mcp', 'cli', 'api')),
  target text not null,
  principal_kind text not null,
  principal_id text not null,
  user_id text,
  asked_at timestamptz not null,
  -- Spent from the organization's quota; what was refused before that is on record too.
  counted boolean not null,
  key_id text not null,
  digest bytea not null check (octet_length(digest) = 16),
  filters_digest bytea check (octet_length(filters_digest) = 16),
  question_bytes integer not null,
  -- Written after the answer; a crash before that leaves them unknown.
  status integer,
  duration_ms integer,
  answer_bytes integer
);

create index records_by_org on activity.records (org_id, type, id);
-- Rows come in the order of time, so this costs a question next to nothing.
create index records_by_time on activity.records using brin (asked_at);

-- An operator's word for one organization; null is the default of the installation.
create table activity.quotas (
  org_id text primary key,
  per_minute integer check (per_minute >= 0),
  per_day integer check (per_day >= 0)
);
