import { type Channel, listChannels as listChannelsOperation } from '#contract/notifications/channels.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type ChannelRow, listChannels } from './store.ts'

export function channelsRoute({ db, clock }: { db: Querier; clock: Clock }): Route {
  return route(listChannelsOperation, async (_, { principal }) => {
    const now = clock.now()
    return { items: (await listChannels(db, principal.org_id)).map((channel) => presentChannel(channel, now)) }
  })
}

/** Returns a channel as people see it. Its secrets stay sealed. */
export function presentChannel(row: ChannelRow, now: Date): Channel {
  const { org_id: _org, settings: _settings, signing_since, former_signing_ends_at: ends, ...channel } = row
  const { failing_since, created_at } = channel
  return {
    ...channel,
    failing_since: failing_since?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    standard_webhooks: signing_since && {
      secret_created_at: signing_since.toISOString(),
      former_ends_at: ends !== null && ends > now ? ends.toISOString() : null,
    },
  }
}
