-- Where a person goes after signing in can be the page of an invitation, whose address has its token. Sealed; the new
-- release writes only '/' into return_to, which the former release then goes to. Its own rows, of at most 15 minutes, have
-- null here.
-- former release: runs
alter table auth.sign_in_flows add column sealed_return_to text;
alter table auth.mailed_links add column sealed_return_to text;
