type Joined<T> = { uses: number; readonly taking: Promise<T> }

/**
 * Joins the questions of an organization that are spent in one turn into one command of the store. Questions whose
 * records were written together are spent together, so this is the rule under load. `usesOf` returns how many joined.
 */
export function joinTurns<T>(take: (orgId: string, usesOf: () => number) => Promise<T>) {
  const open = new Map<string, Joined<T>>()
  const begin = (orgId: string): Joined<T> => {
    const joined: Joined<T> = {
      uses: 0,
      taking: Promise.resolve().then(() => {
        open.delete(orgId)
        return take(orgId, () => joined.uses)
      }),
    }
    open.set(orgId, joined)
    return joined
  }
  return (orgId: string): { position: number; taking: Promise<T> } => {
    const joined = open.get(orgId) ?? begin(orgId)
    return { position: joined.uses++, taking: joined.taking }
  }
}
