import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listDeliveries, resendDelivery } from '#contract/notifications/deliveries.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { insertChannel } from '../channels/store.ts'
import { parkDeliveries } from '../restore/park-store.ts'
import { addNotifications } from '../store/enqueue.ts'

describe('resending what was parked after a restore', () => {
  let system: System
  let admin: Awaited<ReturnType<System['member']>>
  const requests: string[] = []
  /** Requests are answered after this. */
  let gate = Promise.resolve()
  const safeFetch: SafeFetch = async (url) => {
    requests.push(url)
    await gate
    return { status: 200, headers: {}, body: new Uint8Array(), url, truncated: false }
  }

  beforeAll(async () => {
    system = await startSystem({ safeFetch })
    admin = await system.member('admin')
    // Events of the next day count as those of the backup, however slow the machine is.
    await parkDeliveries(system.db, new Date(Date.now() + 86_400_000))
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function parked(): Promise<string> {
    const { org_id } = admin
    const sealer = createSealer(system.config.secrets.dataKeys)
    const eventId = newId('evt')
    await system.db.tx(async (tx) => {
      const added = {
        org_id,
        kind: 'webhook',
        label: 'hook',
        settings: {},
        secret: `https://x.example/${eventId}`,
      } as const
      const { id: channel_id } = await insertChannel(tx, sealer, added)
      const body = { status: 'test', actor_id: admin.user_id, channel_id }
      await tx.query(sql`
        insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
        values (${eventId}, ${org_id}, 'notification.test', ${JSON.stringify(body)}, clock_timestamp(),
          clock_timestamp(), clock_timestamp())`)
      const ofNobody = { user_id: null, subscription_id: null, app_id: null, digest: null, dropped_reason: null }
      const destination_key = `webhook:${channel_id}`
      const toChannel = { org_id, event_id: eventId, kind: 'webhook', channel_id, destination_key } as const
      await addNotifications(tx, [{ ...toChannel, ...ofNobody, per_message: 1 }])
    })
    return eventId
  }
  const entryOf = async (eventId: string) => {
    const { items } = await system.client(admin.token).call(listDeliveries, {})
    return items.find(({ event }) => event.id === eventId)!
  }
  const resend = (id: string, may_arrive_twice: boolean) =>
    system.client(admin.token).call(resendDelivery, { id, may_arrive_twice })

  it('NO-12 is an explicit act of an admin, who accepts that it may arrive twice', async () => {
    const eventId = await parked()
    const entry = await entryOf(eventId)
    expect(entry).toMatchObject({ status: 'not_sent', state: 'failed', reason: 'parked_after_restore' })
    await expect(resend(entry.id, false)).rejects.toMatchObject({ code: 'NOT_RESENDABLE' })
    const { delivery_id } = await resend(entry.id, true)
    const sent = sql`select state from notifications.deliveries where id = ${delivery_id}`
    await until(async () => (await system.db.query<{ state: string }>(sent))[0]?.state === 'sent')
    expect(requests.filter((url) => url.endsWith(eventId))).toHaveLength(1)
  })

  needs('postgres')('by several admins at once', () => {
    it('NO-07 is done once', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      const { id } = await entryOf(await parked())
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => resend(id, true)))
      resolve()
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(5).fill('NOT_RESENDABLE'))
    })
  })
})
