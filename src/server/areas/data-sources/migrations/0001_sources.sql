-- A data source is a managed database that an organization switched on for agents. What can come back is decided
-- by the search configuration alone; whether anyone may ask, by exposed and min_role.
create schema data_sources;

create table data_sources.sources (
  id text primary key,
  org_id text not null,
  database_name text not null,
  name text not null,
  description text not null default '',
  enabled boolean not null default true,
  exposed boolean not null default false,
  min_role text check (min_role in ('viewer', 'developer', 'admin', 'owner')),
  connection_config jsonb,
  filter_schema jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (org_id, database_name),
  check (not exposed or min_role is not null)
);
create index sources_exposed on data_sources.sources (org_id) where exposed and enabled;
