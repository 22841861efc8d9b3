import { listMembers } from '#contract/auth/members.ts'
import { useCall } from '../../call/use-call.ts'
import { useHasRole, useSession } from '../../session/session.ts'

/** Returns a function that names a user. Members below admin may not list people: to them, others are their id. */
export function usePersonName(): (userId: string) => string {
  const { me } = useSession()
  const isAdmin = useHasRole('admin')
  const members = useCall(listMembers, { org_id: me.org.id, limit: 100 }, { enabled: isAdmin })
  return (userId) => {
    if (userId === me.user.id) return 'you'
    const member = members.data?.items.find(({ user_id }) => user_id === userId)
    return member?.name ?? member?.email ?? userId
  }
}
