import { type Channel, listChannels as listChannelsOperation } from '#contract/notifications/channels.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { type ChannelRow, listChannels } from './store.ts'

export function channelsRoute({ db }: { db: Querier }): Route {
  return route(listChannelsOperation, async (_, { principal }) => {
    return { items: (await listChannels(db, principal.org_id)).map(presentChannel) }
  })
}

/** Returns a channel as people see it. Its secret stays sealed. */
export function presentChannel({ org_id: _org, settings: _settings, ...channel }: ChannelRow): Channel {
  const { failing_since, created_at } = channel
  return { ...channel, failing_since: failing_since?.toISOString() ?? null, created_at: created_at.toISOString() }
}
