-- Backups that the worker makes on a schedule. The row of a slot is written before the work begins, so that one process
-- takes each, and a slot whose process died is known to have failed.
-- former release: runs, it does not read this table
create schema backups;

create table backups.runs (
  slot_at timestamptz primary key,
  started_at timestamptz not null,
  ended_at timestamptz,
  state text not null check (state in ('running', 'good', 'failed')),
  place text,
  bytes bigint,
  -- Whether the backup was restored to a place that was thrown away.
  is_verified boolean not null default false,
  fault text
);
create index runs_good on backups.runs (ended_at desc) where state = 'good';
