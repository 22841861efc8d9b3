-- Anybody can ask for a sign-in link, and each time it is looked up whether the address has an open invitation.
-- former release: runs
-- outside transaction
create index concurrently if not exists invitations_by_email on auth.invitations (email);
