-- Events leave the outbox by deletion as soon as they are taken in, so no row has a shipping time. The table is small
-- and changes all the time: vacuum after a fixed number of dead rows, because a share of almost no rows says nothing
-- and dead rows make every look at an empty outbox slow.
drop index svc.outbox_unshipped;
alter table svc.outbox drop column shipped_at;
alter table svc.outbox set (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000
);
