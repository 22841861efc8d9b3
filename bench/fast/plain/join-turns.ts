export function joinTurns<T>(take: (orgId: string, usesOf: () => number) => Promise<T>) {
  return (orgId: string): { position: number; taking: Promise<T> } => ({ position: 0, taking: take(orgId, () => 1) })
}
