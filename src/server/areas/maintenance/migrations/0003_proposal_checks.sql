-- What a proposal needs besides: since when it could be decided, and what its validation could not judge.
-- former release: runs
alter table maintenance.proposals
  -- When it last became ready. Null if it never was, so that nobody was told of it yet.
  add column ready_at timestamptz,
  -- Sentences about checks that were not run.
  add column validation_notes text[] not null default '{}';
