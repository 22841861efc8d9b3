import type { People } from '#ports/people.ts'

export type NamePeople = Pick<People, 'displayNames'>

/** Returns names by user id. It is empty while the auth service does not answer, since a list without names is a list. */
export async function namesOf(
  people: NamePeople,
  orgId: string,
  rows: readonly { user_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const userIds = new Set(rows.flatMap(({ user_id }) => user_id ?? []))
  if (userIds.size === 0) return new Map()
  const answer = await people.displayNames(orgId, [...userIds])
  return answer.isKnown ? answer.value : new Map()
}
