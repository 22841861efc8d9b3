-- Which registered agents a signed-in person was shown the consent page of. Such a registration keeps its place for ten
-- minutes, so that nobody can push it out between the page and the person's decision. The former release ignores it.
create table auth.oauth_shown_pages (
  client_id text not null references public.platform_oauth_clients on delete cascade,
  user_id text not null references auth.users on delete cascade,
  shown_at timestamptz not null,
  primary key (client_id, user_id)
);
create index oauth_shown_pages_by_person on auth.oauth_shown_pages (user_id);
