-- A code stands for the session it was asked for with: it dies with that one, and the session it is exchanged for is no
-- younger. Otherwise a stolen session could be renewed for ever through codes. Codes live a minute; none is worth keeping.
delete from auth.sign_in_codes;
alter table auth.sign_in_codes drop column user_id;
alter table auth.sign_in_codes add column session_id text not null references auth.sessions on delete cascade;
