-- Organizations and people that are going to be deleted, and those that were. It names them by their ids only, so that
-- it can stay when they are gone.
-- former release: runs, and deletes nothing
create table auth.deletions (
  id text primary key,
  kind text not null check (kind in ('organization', 'person')),
  requested_by text not null,
  requested_at timestamptz not null,
  due_at timestamptz not null,
  -- When the people concerned were mailed.
  told_at timestamptz,
  begun_at timestamptz,
  ended_at timestamptz
);
create index deletions_open on auth.deletions (due_at) where ended_at is null;
