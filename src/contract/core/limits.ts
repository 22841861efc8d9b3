/** Default limit for the bytes of a request body. */
export const BODY_LIMIT = 256 * 1024
/** Default rate below which a request body is refused. How long a body takes in all is not limited. */
export const MIN_BODY_RATE = { bytesPerSecond: 1024, windowSeconds: 30 } as const
/** Body limit of operations that take no body. Any body is refused. */
export const NO_BODY = 0
/** Streams that stay open for as long as somebody follows. */
export const OPEN_STREAMS = { name: 'streams', perPerson: 30, perOrg: 300 } as const
/** Reads that keep the server busy for a second or more. */
export const LONG_READS = { name: 'long-reads', perPerson: 2, perOrg: 6 } as const
/** Searches and counts of many stored rows. The pages of one person that are open send up to four of them at once. */
export const WIDE_READS = { name: 'wide-reads', perPerson: 6, perOrg: 18 } as const
/** Levels of objects and lists inside each other in the JSON of a request, below the outermost. */
export const MAX_JSON_DEPTH = 100
/** Keys of one object in the JSON of a request. */
export const MAX_JSON_KEYS = 20_000
/** Values in the JSON of a request, those inside others included. */
export const MAX_JSON_VALUES = 1_000_000
export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 100
/** How long a caller may cache a validated principal. */
export const PRINCIPAL_CACHE_SECONDS = 5
export const MAX_ORGS_PER_USER = 10
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255
export const IDEMPOTENCY_RETENTION_HOURS = 24
