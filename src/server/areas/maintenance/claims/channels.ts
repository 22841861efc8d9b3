/** Notified when a run was queued, and with the id of a run that somebody else than its worker ended. */
export const RUNS_CHANNEL = 'svc_maintenance_runs'

/** Notified when a proposal is to be validated again. */
export const VALIDATE_CHANNEL = 'svc_maintenance_validate'
