const LIMIT_MS = 4 * 60_000

/**
 * Limits of a database in tests that are not about its limits. A machine that others share can leave a test without a
 * processor for longer than the product waits, which then refuses as it should.
 */
export const PATIENT = { statementTimeoutMs: LIMIT_MS, connectTimeoutMs: LIMIT_MS, turnTimeoutMs: LIMIT_MS } as const
