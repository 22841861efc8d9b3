-- What every area stands on: events told in the transaction of their change, the audit trail, leases for work that
-- one process does at a time, and the answers kept for repeated requests.
create schema svc;

create table svc.outbox (
  id text primary key,
  org_id text not null,
  type text not null,
  body jsonb not null,
  occurred_at timestamptz not null,
  shipped_at timestamptz
);
create index outbox_unshipped on svc.outbox (id) where shipped_at is null;

create table svc.audit (
  id text primary key,
  org_id text,
  actor text not null,
  action text not null,
  target text not null,
  detail jsonb not null,
  at timestamptz not null
);
create index audit_by_org on svc.audit (org_id, id desc);

create table svc.leases (
  name text primary key,
  holder text not null,
  -- Grows with every change of holder: whoever acts under an older one is fenced.
  fence bigint not null,
  expires_at timestamptz not null
);

create table svc.idempotency (
  caller text not null,
  operation text not null,
  key text not null,
  request_digest bytea not null,
  -- Null while the first request runs; sealed, because answers may hold a token shown once.
  status int,
  body text,
  created_at timestamptz not null,
  primary key (caller, operation, key)
);
create index idempotency_by_age on svc.idempotency (created_at);
