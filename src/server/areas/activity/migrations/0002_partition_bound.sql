-- Prepares the records for partitions by time. Ids begin with their time, so they are the key of the partitions, and the
-- primary key stays as it is. The present table becomes the first partition: this bound, four to five weeks from now, is
-- checked for the stored rows by the next file without blocking anybody. Should an upgrade stop between these files, it
-- must be finished before the bound is reached, because later records are refused.
-- former release: runs
create function activity.first_id(at timestamptz) returns text language sql immutable as $$
  select 'act_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((milliseconds >> (5 * place)) & 31)::int + 1, 1), '' order by place desc)
    || repeat('0', 16)
  from (select floor(extract(epoch from at) * 1000)::bigint as milliseconds) as time, generate_series(0, 9) as place
$$;

do $$
begin
  execute format('alter table activity.records add constraint records_before_partitions check (id < %L) not valid',
    activity.first_id(date_trunc('week', now() at time zone 'utc') at time zone 'utc' + interval '35 days'));
end $$;
