import { type Channel, listChannels as listChannelsOperation } from '#contract/notifications/channels.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { type ChannelRow, listChannels } from './store.ts'

export function channelsRoute({ db }: { db: Querier }): Route {
  return route(listChannelsOperation, async (_, { principal }) => {
    return { items: (await listChannels(db, principal.org_id)).map(presentChannel) }
  })
}

/** What people see of a channel. Its secret stays sealed. */
export function presentChannel({
  id,
  kind,
  label,
  state,
  disabled_reason,
  failing_since,
  created_at,
}: ChannelRow): Channel {
  return {
    id,
    kind,
    label,
    state,
    disabled_reason,
    failing_since: failing_since?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
