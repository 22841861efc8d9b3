/** Adds up the memory of each organization's apps and builds where no control group does. */
export type MemoryTotals = {
  /**
   * Records how much one of them uses now. Calls `end` of the one that uses the most if all together use more than
   * `totalBytes`.
   */
  readonly report: (orgId: string, user: MemoryUser, bytes: number, totalBytes: number) => void
  readonly forget: (orgId: string, user: MemoryUser) => void
}

/** An app or a build. */
type MemoryUser = { readonly end: () => void }

export function createMemoryTotals(): MemoryTotals {
  const organizations = new Map<string, Map<MemoryUser, number>>()
  const forget = (orgId: string, user: MemoryUser) => {
    const users = organizations.get(orgId)
    users?.delete(user)
    if (users?.size === 0) organizations.delete(orgId)
  }
  return {
    forget,
    report: (orgId, user, bytes, totalBytes) => {
      const users = organizations.get(orgId) ?? new Map<MemoryUser, number>()
      organizations.set(orgId, users.set(user, bytes))
      const total = [...users.values()].reduce((sum, each) => sum + each, 0)
      if (total <= totalBytes) return
      const [largest] = [...users].reduce((most, each) => (each[1] > most[1] ? each : most))
      forget(orgId, largest)
      largest.end()
    },
  }
}
