import { createApp } from '#contract/apps/apps.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { insertChannel } from '../../src/server/areas/notifications/channels/store.ts'
import { addSubscription } from '../../src/server/areas/notifications/subscriptions/store.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { createWorker, type Worker } from '../../src/worker-sdk/index.ts'

/** An organization with all that the load needs: a data source, an app with two workers, reporters and a webhook. */
export type Grounds = AsyncDisposable & {
  url: string
  token: string
  org_id: string
  /** How often each function call ran, by the id in its arguments. */
  runs: ReadonlyMap<string, number>
  askMcp(signal: AbortSignal): Promise<Response>
  callFunction(id: string, signal: AbortSignal): Promise<Response>
  fileTicket(key: string, signal: AbortSignal): Promise<Response>
  createToken(key: string, signal: AbortSignal): Promise<Response>
}

/** A person may file 30 tickets a minute and have 100 open ones. The load files about 15 a second, for half an hour. */
const REPORTERS = 500
const CREATED_AT_ONCE = 20
const ALIAS = 'shop'

export async function prepareGrounds(url: string, mcpUrl: string, env: Environment, db: Db): Promise<Grounds> {
  // The former release answers without the fields that are new.
  const clientOf = (token: string) =>
    createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }), trustsAnswers: true })
  const operator = clientOf(env.SVC_OPERATOR_TOKEN!)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Cluster' })
  const member = async (name: string, role: 'admin' | 'member') =>
    (await operator.call(adminCreateToken, { org_id, email: `${name}@example.com`, role, name })).token
  const token = await member('admin', 'admin')
  await makeAskable(clientOf(token), 'docs')
  await clientOf(token).call(createApp, { alias: ALIAS })
  await subscribe(db, env, org_id)
  const reporters: string[] = []
  while (reporters.length < REPORTERS) {
    const names = Array.from({ length: CREATED_AT_ONCE }, (_, i) => `reporter-${reporters.length + i}`)
    reporters.push(...(await Promise.all(names.map((name) => member(name, 'member')))))
  }
  const runs = new Map<string, number>()
  const workers = [startFunctionWorker(url, token, runs), startFunctionWorker(url, token, runs)]
  await Promise.all(workers.map((worker) => worker.start()))
  const post = (address: string, bearer: string, body: object, headers: Record<string, string>, signal: AbortSignal) =>
    fetch(address, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
      signal,
    })
  const count = { tickets: 0, tokens: 0 }
  return {
    url,
    token,
    org_id,
    runs,
    askMcp: (signal) => post(mcpUrl, token, QUESTION, MCP_HEADERS, signal),
    callFunction: (id, signal) =>
      post(`${url}/api/deploy/deployments/${ALIAS}/functions/note/calls`, token, { arguments: { id } }, {}, signal),
    fileTicket: (key, signal) => {
      // The reporter follows from the key, because a key belongs to one caller.
      const reporter = reporters[Number.parseInt(key.slice(0, 6), 16) % reporters.length]!
      const body = { title: key, body: `Ticket ${count.tickets++}` }
      return post(
        `${url}/api/deploy/deployments/${ALIAS}/tickets`,
        reporter,
        { ...body, body: key },
        { 'idempotency-key': key },
        signal,
      )
    },
    createToken: (key, signal) => {
      const body = { org_id, email: 'admin@example.com', role: 'admin', name: key }
      return post(`${url}/api/v1/admin/tokens`, env.SVC_OPERATOR_TOKEN!, body, { 'idempotency-key': key }, signal)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

const PROTOCOL = '2026-07-28'
const MCP_HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': PROTOCOL,
  'mcp-method': 'tools/call',
  'mcp-name': 'data_source_query',
}
const QUESTION = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'data_source_query',
    arguments: { id: 'db_docs', query: 'cars' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': PROTOCOL,
      'io.modelcontextprotocol/clientInfo': { name: 'cluster', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

function startFunctionWorker(apiUrl: string, token: string, runs: Map<string, number>): Worker {
  const worker = createWorker({ app: ALIAS, apiUrl, token: async () => token, onError: () => undefined })
  return worker.function('note', { description: 'Notes an id' }, async (input) => {
    const { id } = input as { id: string }
    runs.set(id, (runs.get(id) ?? 0) + 1)
    return { id }
  })
}

async function subscribe(db: Db, env: Environment, org_id: string): Promise<void> {
  const sealer = createSealer([env.SVC_DATA_KEY!])
  await db.tx(async (tx) => {
    const secret = 'https://hooks.example.com/cluster'
    const settings = { per_message: 1 }
    const { id } = await insertChannel(tx, sealer, { org_id, kind: 'webhook', label: 'sink', settings, secret })
    const subscription = { org_id, owner: 'organization', channel_id: id, timing: 'immediately' } as const
    await addSubscription(tx, sealer, { ...subscription, pattern: 'support.ticket.created' })
  })
}
