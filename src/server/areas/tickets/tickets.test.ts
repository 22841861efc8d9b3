import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, deleteApp, readApp } from '#contract/apps/apps.ts'
import { removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import {
  fileTicket,
  listReplies,
  listTickets,
  moveTicket,
  readTicket,
  replyToTicket,
  type TicketStatus,
} from '#contract/tickets.ts'
import { sql } from '#lib/db/sql.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let reporter: Person
let stranger: Person
let builder: Person
let developer: Person
let other: Person

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  const colleague = (role: 'viewer' | 'member' | 'developer') => system.member(role, owner.org_id)
  stranger = await colleague('member')
  builder = await colleague('viewer')
  developer = await colleague('developer')
  other = await system.member('owner')
  await as(owner).call(createApp, { alias: 'shop', name: 'Shop' })
  await as(owner).call(setAppPerson, { alias: 'shop', user_id: builder.user_id, part: 'builder' })
})
afterAll(() => system?.[Symbol.asyncDispose]())
// A new one for each test, because filing is limited to 30 tickets a minute.
beforeEach(async () => {
  reporter = await system.member('viewer', owner.org_id)
})

const as = ({ token }: Pick<Person, 'token'>) => system.client(token)
const file = (person = reporter, title = 'The door is stuck', alias = 'shop') =>
  as(person).call(fileTicket, { alias, title, body: 'It does not open.' })
const at = (ticket: { id: string }, alias = 'shop') => ({ alias, ticket_id: ticket.id })
const reply = (person: Person, ticket: { id: string }, body: string, internal = false) =>
  as(person).call(replyToTicket, { ...at(ticket), body, internal })
const move = (person: Person, ticket: { id: string }, status: TicketStatus) =>
  as(person).call(moveTicket, { ...at(ticket), status })
const texts = async (person: Person, ticket: { id: string }) =>
  (await as(person).call(listReplies, at(ticket))).items.map(({ body }) => body)
const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error) => `${error.code}: ${error.message}`,
  )

/** The events about a ticket, wherever they are on their way, in the order in which they were written. */
const eventsOf = ({ id }: { id: string }) =>
  system.db.query<{ type: string; body: Record<string, unknown> }>(sql`
    select type, body from (
      select id, type, body from svc.outbox union select id, type, body from notifications.events
    ) event where body -> 'ticket' ->> 'id' = ${id} order by id`)
const typesOf = async (ticket: { id: string }) => (await eventsOf(ticket)).map(({ type }) => type)

describe('NO-02 filing a ticket', () => {
  it('is open to a member without a part in the app, who sees it as it was filed', async () => {
    const ticket = await file()
    expect(ticket).toEqual({
      id: expect.stringMatching(/^tkt_/),
      app: 'shop',
      title: 'The door is stuck',
      body: 'It does not open.',
      status: 'open',
      reporter: { user_id: reporter.user_id, display_name: reporter.email.split('@')[0] },
      created_at: expect.any(String),
      updated_at: ticket.created_at,
    })
    expect(await as(reporter).call(readTicket, at(ticket))).toEqual(ticket)
  })

  it('emits one event with the reporter as the acting user and none of the text', async () => {
    const ticket = await file()
    const { id } = await as(owner).call(readApp, { alias: 'shop' })
    expect(await eventsOf(ticket)).toEqual([
      {
        type: 'support.ticket.created',
        body: {
          status: 'filed',
          actor_id: reporter.user_id,
          app: { id, alias: 'shop', name: 'Shop' },
          ticket: { id: ticket.id, title: 'The door is stuck' },
          reporter_id: reporter.user_id,
        },
      },
    ])
  })

  it('of vendor staff has no reporter, and a read-only session neither files nor sees a ticket', async () => {
    const filed = await file()
    const ask = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'test' }
    const session = await system.operator.call(startSupport, ask)
    const staff = { ...owner, token: session.token }
    expect(await codeOf(file(staff))).toBe('READ_ONLY_SESSION')
    expect((await as(staff).call(listTickets, { alias: 'shop' })).items).toEqual([])
    expect(await codeOf(as(staff).call(readTicket, at(filed)))).toBe('NOT_FOUND')
    await system.operator.call(elevateSupport, { id: session.id })
    const ticket = await until(() => file(staff).catch(() => undefined))
    expect(ticket.reporter).toBeNull()
    expect((await eventsOf(ticket))[0]!.body).toMatchObject({ actor_id: null, reporter_id: null })
  })

  it('repeated with the same key answers the first ticket and emits once', async () => {
    const client = createClient({
      baseUrl: system.url,
      fetch,
      headers: () => ({ authorization: `Bearer ${reporter.token}`, 'idempotency-key': 'filed-once' }),
    })
    const input = { alias: 'shop', title: 'Once', body: 'b' }
    const first = await client.call(fileTicket, input)
    expect(await client.call(fileTicket, input)).toEqual(first)
    expect(await typesOf(first)).toEqual(['support.ticket.created'])
    expect(await codeOf(client.call(fileTicket, { ...input, body: 'other' }))).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it('makes the title one visible line', async () => {
    const ticket = await file(reporter, ' A\u202e title\nof two\u0007 lines ')
    expect(ticket.title).toBe('A title of two lines')
  })

  it.each([
    ['no title', { title: '', body: 'b' }, 'INVALID_REQUEST: title: must contain a visible character'],
    ['an invisible title', { title: ' \u200e\n\u200b', body: 'b' }, 'INVALID_REQUEST: title'],
    ['a long title', { title: 't'.repeat(201), body: 'b' }, 'INVALID_REQUEST: title'],
    ['no text', { title: 't', body: ' \n ' }, 'INVALID_REQUEST: body'],
    ['a long text', { title: 't', body: 'b'.repeat(16_001) }, 'INVALID_REQUEST: body'],
    ['ten megabytes', { title: 't', body: 'b'.repeat(10_000_000) }, 'PAYLOAD_TOO_LARGE'],
    ['a status', { title: 't', body: 'b', status: 'done' }, 'INVALID_REQUEST: '],
  ])('with %s is refused', async (_, input, refusal) => {
    const before = (await as(developer).call(listTickets, { alias: 'shop' })).items[0]
    expect(await problemOf(as(reporter).call(fileTicket, { alias: 'shop', ...input }))).toContain(refusal)
    expect((await as(developer).call(listTickets, { alias: 'shop' })).items[0]).toEqual(before)
  })

  it('on an app of another organization or one that is being deleted finds no app', async () => {
    expect(await problemOf(file(other))).toBe('NOT_FOUND: No such app.')
    await as(owner).call(createApp, { alias: 'leaving' })
    await system.db.query(sql`update apps.apps set state = 'deleting' where alias = 'leaving'`)
    expect(await problemOf(file(reporter, 't', 'leaving'))).toBe('NOT_FOUND: No such app.')
  })

  it('is refused to a person with 100 tickets on the app that are not done, until one is', async () => {
    const many = await system.member('viewer', owner.org_id)
    const last = await file(many)
    await system.db.query(sql`
      insert into tickets.tickets (id, org_id, app_id, title, body, status, reporter_id, created_at, updated_at)
      select 'tkt_' || n, org_id, app_id, title, body, 'open', reporter_id, created_at, updated_at
      from tickets.tickets, generate_series(1, 99) as n where id = ${last.id}`)
    expect(await problemOf(file(many))).toBe(
      'APP_LIMIT: You have 100 tickets on this app that are not done. Reply to one of them, or wait until some are done.',
    )
    await move(developer, last, 'done')
    expect(await codeOf(file(many))).toBe('no error')
  })
})

describe('AU-07 who sees and does what with a ticket', () => {
  const outcomes = async (person: Person) => {
    const ticket = await file()
    return [
      await codeOf(as(person).call(readTicket, at(ticket))),
      await codeOf(as(person).call(listReplies, at(ticket))),
      await codeOf(reply(person, ticket, 'public')),
      await codeOf(reply(person, ticket, 'internal', true)),
      await codeOf(move(person, ticket, 'done')),
    ].join(' ')
  }

  it('the table of people', async () => {
    //                                        read      replies   reply     internal  move
    expect(await outcomes(reporter)).toBe('no error no error no error FORBIDDEN FORBIDDEN')
    expect(await outcomes(stranger)).toBe('NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND FORBIDDEN')
    expect(await outcomes(builder)).toBe('no error no error no error no error no error')
    expect(await outcomes(developer)).toBe('no error no error no error no error no error')
    expect(await outcomes(owner)).toBe('no error no error no error no error no error')
    expect(await outcomes(other)).toBe('NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND')
  })

  it('a part in one app opens no ticket of another, and no ticket under the name of another app', async () => {
    await as(owner).call(createApp, { alias: 'second' })
    const ticket = await file(reporter, 'Elsewhere', 'second')
    expect(await codeOf(as(builder).call(readTicket, at(ticket, 'second')))).toBe('NOT_FOUND')
    expect(await codeOf(as(builder).call(readTicket, at(ticket, 'shop')))).toBe('NOT_FOUND')
    expect(await codeOf(move(developer, ticket, 'done'))).toBe('NOT_FOUND')
    expect(await codeOf(reply(developer, ticket, 'x'))).toBe('NOT_FOUND')
  })

  it('a reporter never sees an internal reply, nor that there is one', async () => {
    const ticket = await file()
    await reply(builder, ticket, 'It is the hinge.', true)
    await reply(developer, ticket, 'We look at it.')
    const seen = await as(reporter).call(readTicket, at(ticket))
    const { created_at } = await reply(developer, ticket, 'The hinge costs 3 euros.', true)
    expect(await texts(reporter, ticket)).toEqual(['We look at it.'])
    expect(await texts(developer, ticket)).toEqual(['The hinge costs 3 euros.', 'We look at it.', 'It is the hinge.'])
    expect(await as(reporter).call(readTicket, at(ticket))).toEqual(seen)
    expect(Date.parse(seen.updated_at)).toBeLessThanOrEqual(Date.parse(created_at))
  })

  it('a reporter with a part in the app sees internal replies, and none after losing the part', async () => {
    const both = await system.member('viewer', owner.org_id)
    const ticket = await file(both)
    await reply(developer, ticket, 'noted', true)
    expect(await texts(both, ticket)).toEqual([])
    await as(owner).call(setAppPerson, { alias: 'shop', user_id: both.user_id, part: 'maintainer' })
    expect(await texts(both, ticket)).toEqual(['noted'])
    await as(owner).call(removeAppPerson, { alias: 'shop', user_id: both.user_id })
    expect(await texts(both, ticket)).toEqual([])
  })
})

describe('NO-02 replies', () => {
  it('a public reply emits one event that names who replied and who reported', async () => {
    const ticket = await file()
    const { author, internal, body } = await reply(developer, ticket, 'We look at it.')
    expect([author?.user_id, internal, body]).toEqual([developer.user_id, false, 'We look at it.'])
    const [, replied, ...more] = await eventsOf(ticket)
    expect(more).toEqual([])
    expect(replied).toMatchObject({
      type: 'support.ticket.replied',
      body: { status: 'replied', actor_id: developer.user_id, reporter_id: reporter.user_id },
    })
    expect(JSON.stringify(replied)).not.toContain('We look at it.')
  })

  it('an internal reply leaves no event', async () => {
    const ticket = await file()
    await reply(builder, ticket, 'It is the hinge.', true)
    expect(await typesOf(ticket)).toEqual(['support.ticket.created'])
    const left = await system.db.query(sql`
      select from svc.outbox where body::text like '%hinge%'
      union all select from notifications.events where body::text like '%hinge%'`)
    expect(left).toEqual([])
  })

  it('are 1,000 at most', async () => {
    const ticket = await file()
    await system.db.query(sql`
      insert into tickets.replies (id, ticket_id, author_id, internal, body, created_at)
      select 'tkr_full_' || n, ${ticket.id}, null, false, 'x', now() from generate_series(1, 1000) as n`)
    const refusal = 'APP_LIMIT: A ticket can have 1000 replies. File another ticket.'
    expect(await problemOf(reply(reporter, ticket, 'one more'))).toBe(refusal)
    expect(await typesOf(ticket)).toEqual(['support.ticket.created'])
  })

  it.each([' ', 'b'.repeat(16_001)])('refuse an empty and a long text', async (body) => {
    const ticket = await file()
    expect(await codeOf(reply(reporter, ticket, body))).toBe('INVALID_REQUEST')
    expect(await texts(developer, ticket)).toEqual([])
  })
})

describe('NO-02 moving a ticket', () => {
  it('between any two different states emits one event with the new state', async () => {
    const ticket = await file()
    const path = ['in_progress', 'done', 'open', 'done', 'in_progress', 'open'] as const
    for (const status of path) expect((await move(builder, ticket, status)).status).toBe(status)
    const [, ...moved] = await eventsOf(ticket)
    expect(moved.map(({ type, body }) => [type, body.status, body.actor_id, body.reporter_id])).toEqual(
      path.map((status) => ['support.ticket.status_changed', status, builder.user_id, reporter.user_id]),
    )
  })

  it('to the state that it has changes nothing and emits nothing', async () => {
    const ticket = await file()
    expect(await move(builder, ticket, 'open')).toEqual(ticket)
    expect(await typesOf(ticket)).toEqual(['support.ticket.created'])
  })

  it('to a state that does not exist is refused', async () => {
    const ticket = await file()
    expect(await codeOf(move(builder, ticket, 'closed' as TicketStatus))).toBe('INVALID_REQUEST')
  })
})

describe('lists', () => {
  const titles = async (client: Client, input: object = {}) =>
    (await client.call(listTickets, { alias: 'listed', ...input })).items.map(({ title }) => title)

  it('are newest first, in pages, filtered by state and by who filed', async () => {
    await as(owner).call(createApp, { alias: 'listed' })
    for (const n of [1, 2, 3]) await file(reporter, `r${n}`, 'listed')
    const own = await file(developer, 'd1', 'listed')
    await as(developer).call(moveTicket, { ...at(own, 'listed'), status: 'done' })
    expect(await titles(as(developer))).toEqual(['d1', 'r3', 'r2', 'r1'])
    expect(await titles(as(developer), { mine: true })).toEqual(['d1'])
    expect(await titles(as(developer), { status: 'open' })).toEqual(['r3', 'r2', 'r1'])
    expect(await titles(as(developer), { status: 'open', mine: true })).toEqual([])
    expect(await titles(as(reporter))).toEqual(['r3', 'r2', 'r1'])
    expect(await titles(as(reporter), { status: 'done' })).toEqual([])
    expect(await titles(as(stranger))).toEqual([])
    const page = await as(reporter).call(listTickets, { alias: 'listed', limit: 2 })
    expect(page.items.map(({ title }) => title)).toEqual(['r3', 'r2'])
    expect(await titles(as(reporter), { limit: 2, cursor: page.next_cursor! })).toEqual(['r1'])
    expect(await codeOf(titles(as(reporter), { cursor: 'x' }))).toBe('INVALID_REQUEST')
    expect(await codeOf(titles(as(reporter), { status: 'closed' }))).toBe('INVALID_REQUEST')
  })

  it('of replies are newest first, in pages; an entry of tickets has no text', async () => {
    const ticket = await file(reporter, 'paged', 'listed')
    for (const body of ['1', '2', '3']) await as(reporter).call(replyToTicket, { ...at(ticket, 'listed'), body })
    const page = await as(reporter).call(listReplies, { ...at(ticket, 'listed'), limit: 2 })
    expect(page.items.map(({ body }) => body)).toEqual(['3', '2'])
    const rest = await as(reporter).call(listReplies, { ...at(ticket, 'listed'), cursor: page.next_cursor! })
    expect(rest.items.map(({ body }) => body)).toEqual(['1'])
    expect((await as(reporter).call(listTickets, { alias: 'listed' })).items[0]).not.toHaveProperty('body')
  })
})

describe('MA-15 deleting an app', () => {
  it('removes its tickets and replies', async () => {
    const { id } = await as(owner).call(createApp, { alias: 'gone' })
    const ticket = await file(reporter, 'Last words', 'gone')
    await as(owner).call(replyToTicket, { ...at(ticket, 'gone'), body: 'bye' })
    await as(owner).call(deleteApp, { alias: 'gone', confirm: 'gone' })
    await until(async () => (await codeOf(as(owner).call(readApp, { alias: 'gone' }))) === 'NOT_FOUND')
    const left = await system.db.query(sql`
      select id from tickets.tickets where app_id = ${id}
      union all select id from tickets.replies where ticket_id = ${ticket.id}`)
    expect(left).toEqual([])
  })
})

needs('postgres')('NO-02 races on tickets', () => {
  it('of ten that move a ticket to one state at once, one emits', async () => {
    const ticket = await file()
    await Promise.all(Array.from({ length: 10 }, () => move(developer, ticket, 'done')))
    expect(await typesOf(ticket)).toEqual(['support.ticket.created', 'support.ticket.status_changed'])
  })

  it('two that file the last allowed ticket at once do not exceed the limit together', async () => {
    const many = await system.member('viewer', owner.org_id)
    const first = await file(many)
    await system.db.query(sql`
      insert into tickets.tickets (id, org_id, app_id, title, body, status, reporter_id, created_at, updated_at)
      select 'tkt_r' || n, org_id, app_id, title, body, 'open', reporter_id, created_at, updated_at
      from tickets.tickets, generate_series(1, 98) as n where id = ${first.id}`)
    const answers = await Promise.all([1, 2, 3].map(() => codeOf(file(many))))
    expect(answers.filter((answer) => answer === 'no error')).toHaveLength(1)
    expect(answers.filter((answer) => answer === 'APP_LIMIT')).toHaveLength(2)
  })

  it('a deletion of the app waits for a ticket that is being filed, and removes it', async () => {
    const { id } = await as(owner).call(createApp, { alias: 'raced' })
    const held = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    // Filing takes this lock second, after it holds the app.
    const locking = system.db.tx(async (tx) => {
      await tx.query(sql`
        select pg_advisory_xact_lock(hashtextextended(${`tickets ${id} ${reporter.user_id}`}, 0))`)
      held.resolve()
      await end.promise
    })
    await held.promise
    const waiting = (text: string) =>
      until(async () => {
        const rows = await system.db.query(sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${text}%`}`)
        return rows.length > 0
      })
    const filing = file(reporter, 'Just in time', 'raced')
    await waiting('pg_advisory_xact_lock')
    const deleting = as(owner).call(deleteApp, { alias: 'raced', confirm: 'raced' })
    await waiting('update apps.apps set state')
    end.resolve()
    await locking
    expect((await filing).title).toBe('Just in time')
    await deleting
    await until(async () => (await system.db.query(sql`select from tickets.tickets where app_id = ${id}`)).length === 0)
  })
})
