import { createBoundedCache } from '#lib/memory/bounded-cache.ts'

const MAX_REMEMBERED_REFUSALS = 10_000

export type Allowance = ReturnType<typeof createAllowance>

/**
 * Spends questions from the quota and remembers which organizations were refused the last time. A search may begin while
 * its question is being spent, but not for those organizations: it would almost always be for nothing.
 */
export function createAllowance(spend: (orgId: string) => Promise<void>) {
  const refused = createBoundedCache<string, true>({ max: MAX_REMEMBERED_REFUSALS })
  return {
    wasRefused: (orgId: string): boolean => refused.has(orgId),
    spend: async (orgId: string): Promise<void> => {
      try {
        await spend(orgId)
        refused.delete(orgId)
      } catch (error) {
        refused.set(orgId, true)
        throw error
      }
    },
  }
}
