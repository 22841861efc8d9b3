/** Default limit for the bytes of a request body. */
export const BODY_LIMIT = 256 * 1024
/** Default rate below which a request body is refused. How long a body takes in all is not limited. */
export const MIN_BODY_RATE = { bytesPerSecond: 1024, windowSeconds: 30 } as const
/** Body limit of operations that take no body. Any body is refused. */
export const NO_BODY = 0
export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 100
/** How long a caller may cache a validated principal. */
export const PRINCIPAL_CACHE_SECONDS = 5
export const MAX_ORGS_PER_USER = 10
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255
export const IDEMPOTENCY_RETENTION_HOURS = 24
