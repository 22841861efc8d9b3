import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disconnectAgent } from '#contract/auth/agents.ts'
import { removeMember } from '#contract/auth/members.ts'
import { newId } from '#edge/ids.ts'
import { type Connector, type Person, PLATFORM, startConnector } from '#test/agents/connector.ts'
import { connectClient, sendMcp } from '#test/agents/mcp.ts'
import { type Mode, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { addToInbox } from '../../src/server/areas/notifications/inbox/store.ts'

const RESOURCE = PLATFORM.replace('/platform', '/notifications')
const INBOX = 'svc://notifications'

describe('NO-16 subscriptions of agents', () => {
  let connector: Connector
  let url: string
  const clients: Client[] = []
  beforeAll(async () => {
    connector = await startConnector()
    url = `${connector.system.url}/mcp/notifications`
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await connector?.[Symbol.asyncDispose]()
  })

  const notify = async ({ org_id, user_id }: Person, subject: string) => {
    const rest = { event_type: 'deploy.failed', occurred_at: new Date(0), link: '/', app: null } as const
    const event = { ...rest, event_id: newId('evt'), subject, org_id }
    return (await connector.system.db.tx((tx) => addToInbox(tx, event, [user_id])))[0]!.id
  }
  const approve = async (person: Person, scope?: string) =>
    (await connector.connect(person, await connector.client(), { resource: RESOURCE, ...(scope && { scope }) }))
      .access_token
  /** Connects the official client. `heard` has the notifications in the order in which they came. */
  const agentOf = async (token: string) => {
    const client = await connectClient(url, token, '2026-07-28')
    clients.push(client)
    const heard: { id: string; subject: string }[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params._meta!['svc/notification'] as { id: string; subject: string })
    })
    const listen = (since?: string) =>
      client.listen({ resourceSubscriptions: [since === undefined ? INBOX : `${INBOX}?since=${since}`] })
    return { client, heard, listen, subjects: () => heard.map(({ subject }) => subject) }
  }

  it('an agent hears of each new notification once, with what the list shows', async () => {
    const person = await connector.person('viewer')
    const agent = await agentOf(await approve(person))
    expect(agent.client.getServerCapabilities()).toEqual({ tools: {}, resources: { subscribe: true } })
    await notify(person, 'before')
    const subscription = await agent.listen()
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [INBOX] })
    const other = await connector.person('viewer', person.org_id)
    await notify(other, 'of somebody else')
    for (const subject of ['one', 'two', 'three']) await notify(person, subject)
    await until(() => agent.heard.length === 3)
    expect(agent.subjects()).toEqual(['one', 'two', 'three'])
    const { contents } = await agent.client.readResource({ uri: INBOX })
    const [content] = contents
    const { items } = JSON.parse('text' in content! ? content.text : '') as { items: { id: string }[] }
    expect(items[0]).toEqual(agent.heard[2])
    await subscription.close()
  })

  it('an agent goes on where it stopped', async () => {
    const person = await connector.person('viewer')
    const token = await approve(person)
    const first = await agentOf(token)
    const subscription = await first.listen()
    const one = await notify(person, 'one')
    await until(() => first.heard.length === 1)
    await subscription.close()
    await notify(person, 'two')
    await notify(person, 'three')
    const second = await agentOf(token)
    await second.listen(one)
    await until(() => second.heard.length === 2)
    await notify(person, 'four')
    await until(() => second.heard.length === 3)
    expect([first.subjects(), second.subjects()]).toEqual([['one'], ['two', 'three', 'four']])
    const { contents } = await second.client.readResource({ uri: `${INBOX}?since=${second.heard[1]!.id}` })
    expect(contents).toMatchObject([{ text: expect.stringContaining('"four"') }])
  })

  it('a person’s own token can subscribe too', async () => {
    const person = await connector.person('viewer')
    const agent = await agentOf(person.token)
    await agent.listen()
    await notify(person, 'one')
    await until(() => agent.heard.length === 1)
  })

  it('an approval that is taken back ends the stream at the next notification, which is not sent', async () => {
    const person = await connector.person('viewer')
    const token = await approve(person)
    const agent = await agentOf(token)
    const subscription = await agent.listen()
    await notify(person, 'one')
    await until(() => agent.heard.length === 1)
    const [grant] = await grantsOf(person)
    await connector.system.client(person.token).call(disconnectAgent, { id: grant! })
    await notify(person, 'two')
    expect(await subscription.closed).toBe('graceful')
    expect(agent.subjects()).toEqual(['one'])
    expect((await sendMcp(url, token, listening())).status).toBe(401)
  })

  it('a removed member hears nothing more', async () => {
    const owner = await connector.person('owner')
    const person = await connector.person('viewer', owner.org_id)
    const agent = await agentOf(await approve(person))
    const subscription = await agent.listen()
    const { org_id, user_id } = person
    await connector.system.client(owner.token).call(removeMember, { org_id, user_id })
    await notify(person, 'one')
    expect(await subscription.closed).toBe('graceful')
    expect(agent.heard).toEqual([])
  })

  it('an agent that was not granted to read gets 403 and sees no resource', async () => {
    const token = await approve(await connector.person('viewer'), 'notifications:ack')
    const { status, challenge } = await sendMcp(url, token, listening())
    expect([status, challenge]).toEqual([403, expect.stringContaining('error="insufficient_scope"')])
    const { body } = await sendMcp(url, token, { method: 'resources/list' })
    expect(body.result!.resources).toEqual([])
    const read = await sendMcp(url, token, { method: 'resources/read', params: { uri: INBOX, name: INBOX } })
    expect(read.status).toBe(403)
  })

  it('a place that is none is refused, and so are two addresses at once', async () => {
    const { token } = await connector.person('viewer')
    const bad = await sendMcp(url, token, listening(`${INBOX}?since=ntf_1`))
    expect(bad.body.error).toEqual({ code: -32602, message: 'since: must be the id of a notification' })
    const two = await sendMcp(url, token, listening(INBOX, `${INBOX}?since=ntf_00000000000000000000000000`))
    expect(two.body.error).toEqual({ code: -32602, message: 'Subscribe to one address of a resource at a time.' })
  })

  it('an address of something else is left out of what is acknowledged', async () => {
    const { token } = await connector.person('viewer')
    const { client } = await agentOf(token)
    const subscription = await client.listen({ resourceSubscriptions: ['svc://something-else', `${INBOX}?until=x`] })
    expect(subscription.honoredFilter).toEqual({})
    expect(await subscription.closed).toBe('graceful')
    await expect(client.readResource({ uri: 'svc://something-else' })).rejects.toMatchObject({ code: -32602 })
  })

  it('one person has at most 30 streams, and a place is free again when one ends', async () => {
    const { token } = await connector.person('viewer')
    const { client, listen } = await agentOf(token)
    const open = await Promise.all(Array.from({ length: 30 }, () => listen()))
    expect((await sendMcp(url, token, listening())).status).toBe(429)
    await open[0]!.close()
    await until(async () => {
      const again = await client.listen({ resourceSubscriptions: [INBOX] }).catch(() => undefined)
      await again?.close()
      return again !== undefined
    })
    await Promise.all(open.map((subscription) => subscription.close()))
  })

  async function grantsOf({ token }: Person): Promise<string[]> {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${connector.system.url}/api/v1/agents`, { headers })
    const { items } = (await response.json()) as { items: { id: string }[] }
    return items.map(({ id }) => id)
  }
})

describe('NO-16 a server that stops', () => {
  it.each<Mode>(['together', 'apart'])(
    'ends each subscription in order, so that its client connects again: services %s',
    async (mode) => {
      const system = await startSystem({ mode })
      const { token } = await system.member('viewer')
      const client = await connectClient(`${system.url}/mcp/notifications`, token, '2026-07-28')
      const subscription = await client.listen({ resourceSubscriptions: [INBOX] })
      await system[Symbol.asyncDispose]()
      // The door in front of a service that stops can end the stream first, without the last message of the protocol.
      expect(['graceful', ...(mode === 'apart' ? ['remote'] : [])]).toContain(await subscription.closed)
      await client.close()
    },
  )
})

function listening(...uris: string[]) {
  const resourceSubscriptions = uris.length === 0 ? [INBOX] : uris
  return { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions } } }
}
