-- Numbers every grant of a lease or of a job in this database. One sequence for all, so that a released lease can be
-- deleted without its next grant getting an old number. It starts above every number that was given out before. The
-- former release runs on: it counts per lease and compares the holder too.
create sequence svc.fences;
select setval('svc.fences', (select coalesce(max(fence), 0) + 1 from svc.leases));
