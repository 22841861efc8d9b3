/**
 * How long after a restart of svc an app or a worker of an app may be absent without an alarm. Restarts take seconds; what
 * is not back by then does not come back by itself.
 */
export const RESTART_GRACE_MS = 2 * 60_000
