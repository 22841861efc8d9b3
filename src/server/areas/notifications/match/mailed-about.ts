import type { MatchedEvent } from '../model/notification.ts'

/**
 * Returns who is mailed about an event without following anything: the reporter of a ticket that somebody else replied
 * to, or all owners and admins when support staff came in.
 */
export function mailedAbout(event: MatchedEvent): 'owners_and_admins' | { reporterId: string } | undefined {
  if (event.type === 'org.support_access.started' || event.type === 'org.support_access.elevated')
    return 'owners_and_admins'
  if (event.type !== 'support.ticket.replied') return undefined
  const { reporter_id: reporterId, actor_id: actorId } = event.body
  return reporterId === null || reporterId === actorId ? undefined : { reporterId }
}
