-- What the nights found in the vectors of each source. `due_at` is the next look; `entries` has the counts of the last
-- nights by the label of the entry. It has no content of rows: ids of rows are in it as digests only.
-- former release: runs, it does not read this table
create table data_sources.vector_watch (
  source_id text primary key references data_sources.sources (id) on delete cascade,
  due_at timestamptz not null,
  entries jsonb not null default '{}'
);
create index vector_watch_due on data_sources.vector_watch (due_at);
