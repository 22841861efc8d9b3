-- Mails of the local mailbox are sealed from now on. Those kept before are only copies on this machine, and go.
-- former release: runs, it shows the sealed text
delete from notifications.mailbox;
