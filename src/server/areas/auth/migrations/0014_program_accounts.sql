-- Accounts of programs, such as the worker of the example, which nobody signs in to by a mailed link. The former release
-- mails such links.
-- former release: runs
alter table auth.users add column is_program boolean not null default false;
update auth.users u set is_program = true
where u.email = 'hello-worker@example.com' and u.first_signed_in_at is null and u.email_confirmed_at is null
  and not exists (select from auth.identities i where i.user_id = u.id);
