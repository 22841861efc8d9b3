/** Bytes a request body may have unless its operation says otherwise. */
export const BODY_LIMIT = 256 * 1024
/** For operations that take no body: enough to see that one was sent. */
export const NO_BODY = 0
export const PAGE_LIMIT_DEFAULT = 50
export const PAGE_LIMIT_MAX = 100
/** A validated principal may be kept this long by whoever asked for it. */
export const PRINCIPAL_KEPT_SECONDS = 5
export const ORGS_PER_USER = 10
export const IDEMPOTENCY_KEY_LENGTH = 255
export const IDEMPOTENCY_KEPT_HOURS = 24
