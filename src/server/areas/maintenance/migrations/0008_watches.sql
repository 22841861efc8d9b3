-- What became of a fault after the change for it was deployed. A worker adds to it while the deploy serves, for a week.
-- former release: runs
create table maintenance.watches (
  deploy_id text primary key,
  proposal_id text not null references maintenance.proposals on delete cascade,
  live_at timestamptz not null,
  -- Logs and checks are read up to here.
  watched_until timestamptz not null,
  -- Requests in the log, or runs of the check that failed.
  requests bigint not null,
  -- When the fault was seen again.
  seen_at timestamptz,
  -- Another revision went live then.
  replaced_at timestamptz,
  ended_at timestamptz
);
create index watches_by_proposal on maintenance.watches (proposal_id);
