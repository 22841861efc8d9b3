-- Registrations ask, one at a time, whether an authorization of a client is open. Without an index each of them reads
-- every open authorization, and anybody can open many. A hash index, because client ids can be long. The former release
-- runs on the result.
create index oauth_artifacts_by_client on auth.oauth_artifacts
  using hash ((payload->'params'->>'client_id')) where kind = 'Interaction';
