import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useHasRole } from '#console/session/session.ts'
import { listFollows } from '#contract/notifications/follows.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { isToldOfProposals } from '#contract/notifications/told-of-proposals.ts'

/** Shows those who approve how to hear of proposals, while nothing is sent to a channel or to them. */
export function NotTold({ alias }: { alias: string }) {
  const enabled = useHasRole('admin')
  const subscriptions = useCall(listSubscriptions, {}, { enabled }).data?.items
  const follows = useCall(listFollows, {}, { enabled }).data?.items
  if (!subscriptions || !follows || isToldOfProposals(alias, { subscriptions, follows })) return null
  return (
    <p>
      You are not told of proposals: no channel is subscribed to them, and you do not follow them. Follow this app under{' '}
      <Link to="/settings/profile/notifications">Profile settings → Notifications</Link>, or subscribe a channel under{' '}
      <Link to="/settings/organization/integrations">Organization settings → Integrations</Link>.
    </p>
  )
}
