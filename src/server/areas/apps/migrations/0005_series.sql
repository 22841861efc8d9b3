-- What was counted of each app in parts of five minutes, for the charts of its page: requests of visitors, those that
-- failed, how long answers took, and the most memory in use. Rows older than 14 days are removed.
-- former release: runs, it counts nothing
create table apps.series (
  app_id text not null references apps.apps on delete cascade,
  -- When the five minutes begin.
  at timestamptz not null,
  requests integer not null,
  failed integer not null,
  -- Answers by latency, in the buckets of counts/latency-buckets.ts. Buckets at the end can be missing, and are 0.
  latencies integer[] not null,
  -- Null: it was not looked.
  memory_bytes bigint,
  primary key (app_id, at)
);
create index series_by_age on apps.series (at);
