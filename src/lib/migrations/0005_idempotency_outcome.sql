-- former release: runs
-- A transaction of a request with a key notes in `changed` that it commits. When the answer to the commit is lost, the row
-- says whether it took effect. `is_over` ends the waiting of repetitions: the request failed after a change. `holder`
-- names the process and its claim, so that a repetition can take over the key of a process that died. The former release
-- leaves all three as they are.
alter table svc.idempotency
  add column holder text,
  add column changed boolean not null default false,
  add column is_over boolean not null default false;
