import { useCall } from '#console/call/use-call.ts'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listActivity } from '#contract/activity.ts'
import { listAgents } from '#contract/auth/agents.ts'
import { listInvitations, listMembers } from '#contract/auth/members.ts'

/** Asks again while a step is not done: the person may do it in a terminal or in another tab. */
const poll = (answer: { items: readonly unknown[] } | undefined) => answer?.items.length === 0 && 'first'

type Steps = { readonly ask: boolean; readonly connect: boolean; readonly invite: boolean }

/**
 * Returns which steps are done, or undefined while that is not known. Only owners invite; for others that step counts
 * as done.
 */
export function useFirstSteps(isShown: boolean): Steps | undefined {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const answered = useCall(
    listActivity,
    { type: 'data_sources', outcome: 'answered', limit: 1 },
    { enabled: isShown, poll },
  ).data
  const agents = useCall(listAgents, { limit: 1 }, { enabled: isShown && !me.read_only, poll }).data
  const inOrg = { org_id: me.org.id, limit: 100 }
  const members = useCall(listMembers, inOrg, { enabled: isShown && isOwner }).data
  const invitations = useCall(listInvitations, inOrg, { enabled: isShown && isOwner }).data
  if (!answered || !agents || (isOwner && !(members && invitations))) return undefined
  return {
    ask: answered.items.length > 0,
    connect: agents.items.length > 0,
    // Accounts of workers are members too. They have no name and never sign in.
    invite:
      !isOwner ||
      invitations!.items.length > 0 ||
      members!.items.some((person) => person.user_id !== me.user.id && (person.name !== null || person.has_signed_in)),
  }
}
