import { roleAtLeast } from '#contract/core/roles.ts'
import type { People, PeopleAnswer } from '#ports/people.ts'

/** Whether the person is a member who builds, maintains or administers the app, or an owner or admin. */
export async function maySeeApp(
  people: Pick<People, 'member' | 'partHolders'>,
  { orgId, appId, userId }: { orgId: string; appId: string; userId: string },
): Promise<PeopleAnswer<boolean>> {
  const member = await people.member(orgId, userId)
  if (!member.isKnown) return member
  if (!member.value) return { isKnown: true, value: false }
  if (roleAtLeast(member.value.role, 'admin')) return { isKnown: true, value: true }
  const holders = await people.partHolders(orgId, appId)
  return holders.isKnown ? { isKnown: true, value: holders.value.some(({ user_id }) => user_id === userId) } : holders
}
