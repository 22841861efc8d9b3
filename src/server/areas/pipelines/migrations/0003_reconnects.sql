-- Until when workers may take to connect again, because a process that holds their streams stops or has just started. One
-- row for all processes: those that decide about slots and lost workers may be others than those with the streams.
-- former release: runs, and gives workers a minute after its own start only
create table pipelines.reconnects (
  is_only_row boolean primary key default true check (is_only_row),
  until timestamptz not null
);
