-- Every event that was taken out of the outbox. The id is the outbox's, so that taking an event in twice stores it once.
create table notifications.events (
  id text primary key,
  org_id text not null,
  type text not null,
  body jsonb not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null
);
create index events_by_org on notifications.events (org_id, id desc);
