import type { Follow } from './follows.ts'
import type { Subscription } from './subscriptions.ts'

const PROPOSED = 'application.maintenance.proposal.created'

type Sent = {
  readonly subscriptions: readonly Pick<Subscription, 'event_type' | 'enabled'>[]
  readonly follows: readonly { readonly app: Pick<Follow['app'], 'alias'>; readonly categories: Follow['categories'] }[]
}

/** Whether proposals for an app are sent to a channel of the organization, or to the person whose follows these are. */
export function isToldOfProposals(alias: string, { subscriptions, follows }: Sent): boolean {
  const isSubscribed = subscriptions.some(({ event_type, enabled }) => enabled && covers(event_type))
  return (
    isSubscribed || follows.some(({ app, categories }) => app.alias === alias && categories.includes('maintenance'))
  )
}

function covers(pattern: string): boolean {
  return pattern.endsWith('*') ? PROPOSED.startsWith(pattern.slice(0, -1)) : pattern === PROPOSED
}
