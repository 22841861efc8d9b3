-- Tokens that agents (checks and maintenance) use of the pool of their organization, by day of its maintenance timezone.
-- Tokens are reserved before a call and settled after it. Counts only: no text of a conversation is stored.
-- former release: runs
create table ai.agent_pool_days (
  org_id text not null,
  day date not null,
  -- Of settled reservations what they were booked with, of open ones what they reserved.
  tokens bigint not null check (tokens >= 0),
  -- A provider served more than was reserved, so no reservation of this day can be relied on any more.
  is_closed boolean not null default false,
  primary key (org_id, day)
);

create table ai.agent_reservations (
  id bigint generated always as identity primary key,
  org_id text not null,
  day date not null,
  spender text not null,
  reference text not null,
  tokens bigint not null check (tokens > 0),
  -- Null while it is open.
  booked bigint check (booked >= 0),
  -- It was booked in full because nobody settled it in time.
  is_lost boolean not null default false,
  expires_at timestamptz not null,
  foreign key (org_id, day) references ai.agent_pool_days on delete cascade
);
create index agent_reservations_open on ai.agent_reservations (expires_at) where booked is null;
create index agent_reservations_by_day on ai.agent_reservations (org_id, day);
