import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { eventsOf } from '#test/deliveries/events.ts'
import { audit } from './audit.ts'
import { emit } from './emit.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const occurred_at = new Date('2026-02-03T04:05:06.789Z')
const ticketFiled = (): EventOf<'support.ticket.created'> => ({
  type: 'support.ticket.created',
  org_id: newId('org'),
  occurred_at,
  body: {
    status: 'filed',
    actor_id: newId('usr'),
    app: { id: newId('app'), alias: 'shop', name: 'Shop' },
    ticket: { id: newId('tkt'), title: 'Door\nstuck' },
    reporter_id: null,
  },
})

describe('NO-01 emit', () => {
  it('stores the event with its change, names as one line', async () => {
    const event = ticketFiled()
    await opened.db.tx((tx) => emit(tx, event))
    const body = { ...event.body, ticket: { ...event.body.ticket, title: 'Door stuck' } }
    expect(await eventsOf(opened.db, event.org_id)).toEqual([{ type: 'support.ticket.created', occurred_at, body }])
  })

  it('refuses a body that does not fit its type and undoes the change', async () => {
    const event = ticketFiled()
    const withText = { ...event, body: { ...event.body, text: 'the whole ticket' } }
    const change = opened.db.tx(async (tx) => {
      await audit(tx, { org_id: event.org_id, actor: 'usr_1', action: 'a.b', target: 'x', at: occurred_at })
      await emit(tx, withText)
    })
    await expect(change).rejects.toThrow('Unrecognized key')
    expect(await eventsOf(opened.db, event.org_id)).toEqual([])
  })
})
