-- What each person was told of. An entry holds all it shows, so that it outlives the event it came from. One per event
-- and person, because events are shipped at least once and nobody is told of one twice. People may live at a hosted
-- auth service, so nothing here refers to its tables.
create schema notifications;

create table notifications.inbox (
  id text primary key,
  event_id text not null,
  user_id text not null,
  org_id text not null,
  event_type text not null,
  subject text not null,
  occurred_at timestamptz not null,
  app text,
  link text not null,
  read_at timestamptz,
  unique (event_id, user_id)
);
create index inbox_page on notifications.inbox (user_id, org_id, id desc);
create index inbox_unread on notifications.inbox (user_id, org_id, id desc) where read_at is null;
