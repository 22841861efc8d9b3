-- Lines of logs in partitions of ids, so that old lines are removed by dropping a partition. A worker makes a partition
-- when the newest is old enough, and then moves the sequence of ids to its first id. So an id tells which lines were
-- stored earlier, and every id has a partition, also if no worker runs for months. The former table is the first
-- partition; an empty one is dropped. Only the catalogue changes, so the locks are held for milliseconds.
-- former release: runs, it deletes old lines one by one
alter table apps.logs rename to logs_first;
alter table apps.logs_first alter column id drop identity;
alter index apps.logs_pkey rename to logs_first_pkey;
alter index apps.logs_by_deploy rename to logs_first_by_deploy;
alter index apps.logs_dropped rename to logs_first_dropped;

create sequence apps.log_ids start 100000000000;

-- A partition must have the constraints of its table under the same names.
create table apps.logs (
  id bigint not null default nextval('apps.log_ids'),
  app_id text not null,
  deploy_id text,
  -- Given by the sender of the line. The time at which it was stored decides when it is removed.
  at timestamptz not null,
  -- debug 1, info 2, warn 3, error 4.
  level smallint not null,
  source text not null constraint logs_source_check check (source in ('app', 'build', 'system', 'ingest')),
  text text not null,
  -- How many lines were dropped before this one, on a line that says so.
  dropped integer not null default 0,
  primary key (app_id, id)
) partition by range (id);
create index logs_by_deploy on apps.logs (deploy_id, id) where source in ('build', 'system');
create index logs_dropped on apps.logs (app_id, at) where dropped > 0;
alter sequence apps.log_ids owned by apps.logs.id;

-- Partition n has the ids from n times 100000000000 on. Its name ends with the time at which it was made, in UTC.
do $$
declare
  made text := to_char(now() at time zone 'utc', 'YYYYMMDDHH24MI');
begin
  if exists (select from apps.logs_first) then
    alter table apps.logs attach partition apps.logs_first for values from (minvalue) to (100000000000);
    alter table apps.logs_first drop constraint logs_before_partitions;
    execute format('alter table apps.logs_first rename to %I', 'logs_0_' || made);
  else
    drop table apps.logs_first;
  end if;
  execute format('create table apps.%I partition of apps.logs for values from (100000000000) to (200000000000)',
    'logs_1_' || made);
end $$;
