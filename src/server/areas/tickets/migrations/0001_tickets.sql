-- Tickets that people file on apps, and the replies to them. Deleting an app deletes its tickets, also when a process of
-- an older release deletes it, which knows nothing of tickets.
-- former release: runs
create schema tickets;

create table tickets.tickets (
  id text primary key,
  org_id text not null,
  app_id text not null references apps.apps on delete cascade,
  title text not null,
  body text not null,
  status text not null check (status in ('open', 'in_progress', 'done')),
  -- Null when vendor staff filed it in a support session.
  reporter_id text,
  created_at timestamptz not null,
  -- When it was filed, publicly replied to or moved. An internal reply leaves it alone: the reporter sees it.
  updated_at timestamptz not null
);
create index tickets_page on tickets.tickets (app_id, id desc);
create index tickets_by_reporter on tickets.tickets (app_id, reporter_id, id desc);

create table tickets.replies (
  id text primary key,
  ticket_id text not null references tickets.tickets on delete cascade,
  -- Null when vendor staff wrote it in a support session.
  author_id text,
  internal boolean not null,
  body text not null,
  created_at timestamptz not null
);
create index replies_page on tickets.replies (ticket_id, id desc);
