import { nameMembers } from '#contract/auth/members.ts'
import { useSession } from '../session/session.ts'
import { inGroups } from './in-groups.ts'
import { useCalls } from './use-calls.ts'

const USER_ID = /^usr_[0-9a-z]{26}$/

/** Returns a function that names the users of these ids, for what a page lists. Nulls are left out. */
export function useNames(ids: readonly (string | null | undefined)[]): (userId: string) => string {
  const { me } = useSession()
  const userIds = ids.filter((id) => typeof id === 'string' && USER_ID.test(id)) as string[]
  const { answers, isLoading } = useCalls(
    nameMembers,
    inGroups(userIds).map((user_ids) => ({ org_id: me.org.id, user_ids })),
  )
  const names = new Map(answers.flatMap(({ items }) => items.map(({ user_id, name }) => [user_id, name])))
  return (userId) => {
    if (userId === me.user.id) return 'you'
    return names.get(userId) ?? (isLoading ? '…' : 'a former member')
  }
}
