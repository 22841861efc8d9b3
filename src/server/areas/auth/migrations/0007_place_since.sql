-- Since when the place of a registration has been held by the same program, also under earlier client ids. Otherwise a
-- program that registers again and again would always look new and could keep its place from others. Null means
-- created_at. The former release leaves it null.
alter table public.platform_oauth_clients add column place_since timestamptz;
