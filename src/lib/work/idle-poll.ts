/**
 * How often work is looked for that a notification announces. None is lost: the listening connection leads to Postgres
 * itself, is asked every 20 seconds whether it is there, and wakes everything that listens when it has connected again.
 * While work is open, whoever does it looks more often: for what a process that died had claimed, and for what becomes
 * due without a notification.
 */
export const IDLE_POLL_SECONDS = 60
