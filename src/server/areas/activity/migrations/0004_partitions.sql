-- Records in partitions of a week, so that old ones are removed by dropping a partition. The former table is the first
-- partition, named after the day it ends; an empty one is dropped. Only the catalogue changes, so the locks are held for milliseconds. A worker makes
-- further partitions ahead. A record that has none goes into the default partition.
-- former release: runs
alter table activity.records rename to records_first;
alter index activity.records_pkey rename to records_first_pkey;
alter index activity.records_by_org rename to records_first_by_org;
alter index activity.records_by_time rename to records_first_by_time;

-- A partition must have the constraints of its table under the same names.
create table activity.records (
  id text primary key,
  org_id text not null,
  type text not null constraint records_type_check check (type in ('data_source', 'function')),
  source text not null constraint records_source_check check (source in ('mcp', 'cli', 'api')),
  target text not null,
  principal_kind text not null,
  principal_id text not null,
  user_id text,
  asked_at timestamptz not null,
  -- Whether the question was spent from the organization's quota. Refused ones are recorded too.
  counted boolean not null,
  key_id text not null,
  digest bytea not null constraint records_digest_check check (octet_length(digest) = 16),
  filters_digest bytea constraint records_filters_digest_check check (octet_length(filters_digest) = 16),
  question_bytes integer not null,
  -- Written after the answer. Null after a crash before that.
  status integer,
  duration_ms integer,
  answer_bytes integer
) partition by range (id);
create index records_by_org on activity.records (org_id, type, id);
create index records_by_time on activity.records using brin (asked_at);

create table activity.records_default partition of activity.records default;

do $$
declare
  bound text;
  -- The bound is the Monday five weeks after the one of the day on which the former file ran.
  ends timestamp := date_trunc('week', now() at time zone 'utc');
  -- Monday, as UTC without its time zone.
  week timestamp := date_trunc('week', now() at time zone 'utc');
begin
  select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into strict bound
  from pg_constraint
  where conrelid = 'activity.records_first'::regclass and conname = 'records_before_partitions';
  if exists (select from activity.records_first) then
    execute format('alter table activity.records attach partition activity.records_first for values from (minvalue) to (%L)',
      bound);
    alter table activity.records_first drop constraint records_before_partitions;
    while activity.first_id(ends at time zone 'utc') < bound loop
      ends := ends + interval '7 days';
    end loop;
    execute format('alter table activity.records_first rename to %I', to_char(ends, '"records_before_"YYYYMMDD'));
  else
    drop table activity.records_first;
    bound := '';
  end if;
  for n in 0..8 loop
    if activity.first_id(week at time zone 'utc') >= bound then
      execute format('create table activity.%I partition of activity.records for values from (%L) to (%L) '
        'with (fillfactor = 60)', to_char(week, '"records_"YYYYMMDD'), activity.first_id(week at time zone 'utc'),
        activity.first_id((week + interval '7 days') at time zone 'utc'));
    end if;
    week := week + interval '7 days';
  end loop;
end $$;

drop function activity.first_id(timestamptz);
