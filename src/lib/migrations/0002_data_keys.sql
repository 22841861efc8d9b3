-- Which data keys stored secrets may be sealed under. Each row holds a value of known content, sealed under its key,
-- so that a start with a lost or wrong SVC_DATA_KEY is refused. The former release runs on: it does not read this.
create table svc.data_keys (
  key_id text primary key,
  check_value text not null,
  first_used_at timestamptz not null default now()
);
