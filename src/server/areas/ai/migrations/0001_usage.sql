-- What each organization used of the AI gateway's allowance, by UTC day. A count only: texts are never kept.
create schema ai;

create table ai.gateway_usage (
  org_id text not null,
  day date not null,
  tokens bigint not null check (tokens >= 0),
  primary key (org_id, day)
);
