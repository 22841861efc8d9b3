-- What upkeep needs: how often a channel failed in a row, events that only a newer release can read, the resends of a
-- message, and which events come from a restored backup. No release has these tables yet, so the indexes are built here.
-- former release: runs
alter table notifications.channels
  -- Messages in a row that ended without being delivered.
  add column failures int not null default 0;

alter table notifications.events
  -- When a release could not read the event for the first time.
  add column unreadable_at timestamptz;
create index events_new on notifications.events (id) where matched_at is null and unreadable_at is null;

create index deliveries_resends on notifications.deliveries (resend_of) where resend_of is not null;

-- At most one row. Events with a lower id were in a backup that was restored: messages about them may have been sent
-- already, so they are parked.
create table notifications.restore_mark (
  only_row boolean primary key default true check (only_row),
  before_event_id text not null,
  parked_at timestamptz not null
);

-- Deliveries now take their fences from svc.fences, like leases. The distance keeps them above those that a worker of
-- the former release still takes from notifications.fence.
select setval('svc.fences',
  greatest((select last_value from svc.fences), (select last_value from notifications.fence) + 1000000));
