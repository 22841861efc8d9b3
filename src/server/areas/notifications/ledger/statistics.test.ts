import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryStatistics } from '#contract/notifications/deliveries.ts'
import { ackNotification, countUnread } from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { type System, startSystem } from '#test/system.ts'
import { insertChannel } from '../channels/store.ts'
import { addToInbox } from '../inbox/store.ts'

type Person = Awaited<ReturnType<System['member']>>

describe('CO-04 what became of notifications', () => {
  let system: System
  let admin: Person
  let channel: string
  beforeAll(async () => {
    system = await startSystem()
    admin = await system.member('admin')
    const hook = {
      org_id: admin.org_id,
      kind: 'webhook',
      label: 'hook',
      settings: {},
      secret: 'https://x.example',
    } as const
    const sealer = createSealer(system.config.secrets.dataKeys)
    channel = (await system.db.tx((tx) => insertChannel(tx, sealer, hook))).id
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  /** An entry of the ledger in one of its states, this many days ago. */
  async function entry(of: {
    org_id?: string
    kind?: string
    state?: string
    dropped?: string
    daysAgo?: number
    attempt?: number
  }) {
    const { org_id = admin.org_id, kind = 'webhook', state, dropped = null, daysAgo = 0, attempt = 1 } = of
    const at = new Date(Date.now() - daysAgo * 24 * 3_600_000)
    const [event, delivery] = [newId('evt'), state === undefined ? null : newId('dlv')]
    const channelId = kind === 'webhook' ? channel : null
    await system.db.tx(async (tx) => {
      await tx.query(sql`
        insert into notifications.events (id, org_id, type, body, occurred_at, received_at, matched_at)
        values (${event}, ${org_id}, 'notification.test', '{}', ${at}, ${at}, ${at})`)
      if (delivery !== null) {
        await tx.query(sql`
          insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, state, attempt, created_at)
          values (${delivery}, ${org_id}, 'none', ${kind}, ${channelId}, ${state}, ${attempt}, ${at})`)
      }
      await tx.query(sql`
        insert into notifications.notifications
          (id, event_id, org_id, destination_key, kind, channel_id, delivery_id, dropped_reason, created_at, window_end)
        values (${newId('ntf')}, ${event}, ${org_id}, 'none', ${kind}, ${channelId}, ${delivery}, ${dropped}, ${at},
                '2999-01-01')`)
    })
  }

  it('CO-18 is counted by channel and by day, with what took more than one attempt; an unknown outcome is neither delivered nor not sent', async () => {
    await entry({ state: 'sent' })
    await entry({ state: 'sent', attempt: 3 })
    await entry({ state: 'sent', daysAgo: 2 })
    await entry({ state: 'failed', attempt: 2 })
    await entry({ state: 'unknown' })
    await entry({})
    await entry({ kind: 'none', dropped: 'no_recipient' })
    await entry({ state: 'failed', daysAgo: 40 })
    await entry({ org_id: (await system.member('admin')).org_id, kind: 'email', state: 'sent' })
    const { channels, days } = await system.client(admin.token).call(deliveryStatistics, { days: 3 })
    expect(channels).toEqual([
      {
        kind: 'webhook',
        channel_id: channel,
        label: 'hook',
        delivered: 3,
        retried: 1,
        not_sent: 1,
        unknown: 1,
        waiting: 1,
      },
      { kind: 'none', channel_id: null, label: null, delivered: 0, retried: 0, not_sent: 1, unknown: 0, waiting: 0 },
    ])
    expect(days.map(({ day: _, ...counts }) => Object.values(counts))).toEqual([
      [1, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0],
      [2, 1, 2, 1, 1, 1],
    ])
  })

  it('is for admins, and the number of unread notifications is the person’s own', async () => {
    const [viewer, other] = [await system.member('viewer', admin.org_id), await system.member('viewer', admin.org_id)]
    const client = system.client(viewer.token)
    await expect(client.call(deliveryStatistics, {})).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const event = {
      event_id: newId('evt'),
      event_type: 'deploy.failed',
      subject: 'x',
      occurred_at: new Date(),
      org_id: admin.org_id,
      app: null,
      link: '/',
    } as const
    const [mine] = await system.db.tx((tx) => addToInbox(tx, event, [viewer.user_id]))
    expect(await client.call(countUnread, {})).toEqual({ unread: 1 })
    expect(await system.client(other.token).call(countUnread, {})).toEqual({ unread: 0 })
    await client.call(ackNotification, { id: mine!.id })
    expect(await client.call(countUnread, {})).toEqual({ unread: 0 })
  })
})
