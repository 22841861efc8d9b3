const MOST = 10_000

/**
 * A search may begin while its question is being spent, which costs no time then. Not for an organization that was
 * refused the last time: its questions would be searched for nothing.
 */
export function createAllowance(spend: (orgId: string) => Promise<void>) {
  const refused = new Set<string>()
  return {
    wasRefused: (orgId: string): boolean => refused.has(orgId),
    spend: async (orgId: string): Promise<void> => {
      try {
        await spend(orgId)
        refused.delete(orgId)
      } catch (error) {
        if (refused.size >= MOST) refused.clear()
        refused.add(orgId)
        throw error
      }
    },
  }
}
