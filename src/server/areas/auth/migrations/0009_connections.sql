-- Where a person approved an agent, so that they can tell their computers apart. The former release leaves both null.
-- former release: runs
alter table public.platform_access_grants
  -- The address of the browser, and its name with that of its system ("Firefox on Linux").
  add column connected_from text,
  add column connected_with text;
