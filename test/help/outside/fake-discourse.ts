import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type FakeTopic = {
  id: number
  title: string
  raw: string
  category: number
  external_id: string | null
  /** External id of its author. */
  author: string
  deleted?: true
}

/** An incident at the next post, instead of the usual answer. */
type Incident =
  /** The connection breaks before or after the topic is made. */
  | 'lost_before'
  | 'lost_after'
  /** The answer has this status and the topic is not made. */
  | { status: number; headers?: Record<string, string> }
  /** The topic is made, but a gateway answers for the forum. */
  | { statusAfter: number }
  /** Moderators approve posts first. */
  | 'enqueued'
  /** Another site answers at this address. */
  | 'other_site'

/** Speaks the part of Discourse's API that svc uses, on loopback. Its answers were compared with Discourse's source. */
export type FakeDiscourse = AsyncDisposable & {
  port: number
  url: string
  /** Keys and whose they are: `all` users, or the external id of one. */
  keys: Map<string, string>
  /** External ids of people with an account. */
  accounts: Set<string>
  /** External ids of people whose account is suspended. */
  suspended: Set<string>
  categories: Set<number>
  topics: FakeTopic[]
  incidents: Incident[]
  /** While set, every request to read gets this status. */
  readStatus: number | undefined
  requests: { method: string; path: string; as: string }[]
}

type Refusal = Reply
type Caller = { name: string }

export async function startFakeDiscourse(): Promise<FakeDiscourse> {
  const state: Omit<FakeDiscourse, 'port' | 'url' | typeof Symbol.asyncDispose> = {
    keys: new Map(),
    accounts: new Set(),
    suspended: new Set(),
    categories: new Set(),
    topics: [],
    incidents: [],
    readStatus: undefined,
    requests: [],
  }
  const server = createServer((request, response) => void answer(forum, request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const forum: FakeDiscourse = Object.assign(state, {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => close(server),
  })
  return forum
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done) => server.close(() => done()))
}

async function answer(forum: FakeDiscourse, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request).catch(() => '')
  const { method = 'GET', url: path = '/' } = request
  const caller = callerOf(forum, request)
  forum.requests.push({ method, path, as: 'name' in caller ? caller.name : 'nobody' })
  const reply = method === 'POST' ? post(forum, caller, body) : read(forum, caller, path)
  if (reply === 'lost') {
    response.destroy()
    return
  }
  const { status, json, headers } = reply
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(typeof json === 'string' ? json : JSON.stringify(json))
}

type Reply = { status: number; json: unknown; headers?: Record<string, string> }

/** As `lookup_api_user`: a key of one user ignores the headers that name another one by id or external id. */
function callerOf({ keys, accounts, suspended }: FakeDiscourse, { headers }: IncomingMessage): Caller | Refusal {
  const refused = { status: 403, json: { errors: ['You are not permitted.'], error_type: 'invalid_access' } }
  const owner = keys.get(String(headers['api-key']))
  if (owner === undefined) return refused
  if (owner !== 'all') return { name: owner }
  if (headers['api-user-id'] === '-1') return { name: 'system' }
  const externalId = String(headers['api-user-external-id'])
  if (!accounts.has(externalId) || suspended.has(externalId)) return refused
  return { name: externalId }
}

function read(forum: FakeDiscourse, caller: Caller | Refusal, path: string): Reply {
  if (forum.readStatus !== undefined) return { status: forum.readStatus, json: { errors: ['later'] } }
  if (!('name' in caller)) return caller
  return find(forum, path) ?? { status: 404, json: { errors: ['not found'], error_type: 'not_found' } }
}

function find({ categories, accounts, topics }: FakeDiscourse, path: string): Reply | undefined {
  const [, category] = /^\/c\/(\d+)\/show\.json$/.exec(path) ?? []
  if (category !== undefined) {
    const id = Number(category)
    return categories.has(id) ? { status: 200, json: { category: { id, name: 'News', slug: 'news' } } } : undefined
  }
  const [, account] = /^\/u\/by-external\/([^/]+)\.json$/.exec(path) ?? []
  if (account !== undefined) {
    return accounts.has(account) ? { status: 200, json: { user: { username: account } } } : undefined
  }
  const [, externalId] = /^\/t\/external_id\/([\w-]+)\.json$/.exec(path) ?? []
  if (externalId !== undefined) {
    const topic = topics.find((one) => one.external_id === externalId && !one.deleted)
    return topic && { status: 301, json: '', headers: { location: `/t/topic/${topic.id}.json` } }
  }
  const [, id] = /^\/t\/topic\/(\d+)\.json$/.exec(path) ?? []
  const topic = topics.find((one) => one.id === Number(id))
  return topic && { status: 200, json: { post_stream: { posts: [] }, id: topic.id, external_id: topic.external_id } }
}

function post(forum: FakeDiscourse, caller: Caller | Refusal, body: string): Reply | 'lost' {
  const incident = forum.incidents.shift()
  if (incident === 'lost_before') return 'lost'
  if (incident === 'other_site') return { status: 200, json: '<html>Sign in</html>' }
  if (typeof incident === 'object' && 'status' in incident) return { ...incident, json: { errors: ['no'] } }
  if (!('name' in caller)) return caller
  const topic = JSON.parse(body) as Omit<FakeTopic, 'id' | 'author'>
  if (!forum.categories.has(topic.category)) return { status: 400, json: { error_type: 'invalid_parameters' } }
  if (incident === 'enqueued') return { status: 200, json: { action: 'enqueued', success: true } }
  const errors = faultsOf(forum, topic)
  if (errors.length > 0) return { status: 422, json: { action: 'create_post', errors } }
  const newTopic: FakeTopic = { ...topic, id: forum.topics.length + 1, author: caller.name }
  forum.topics.push(newTopic)
  if (incident === 'lost_after') return 'lost'
  if (incident !== undefined) return { status: incident.statusAfter, json: '<html>Bad gateway</html>' }
  return { status: 200, json: { id: newTopic.id, topic_id: newTopic.id, topic_slug: 'topic' } }
}

/** The checks that a usual forum makes. Deleted topics keep their external id. */
function faultsOf({ topics }: FakeDiscourse, { title, raw, external_id }: Omit<FakeTopic, 'id' | 'author'>): string[] {
  const hasTitle = topics.some((one) => !one.deleted && one.title.toLowerCase() === title.toLowerCase())
  const hasId = topics.some((one) => one.external_id?.toLowerCase() === external_id?.toLowerCase())
  return [
    ...(title.length < 15 || title.length > 255 ? ['Title has a wrong length'] : []),
    ...(/\S{31,}/.test(title) ? ['Title seems unclear'] : []),
    ...(hasTitle ? ['Title has already been used'] : []),
    ...(raw.length < 20 ? ['Body is too short'] : []),
    ...(topics.some((one) => one.raw === raw) ? ['Body is too similar to what you recently posted'] : []),
    ...(external_id === null || !/^[\w-]{1,50}$/.test(external_id) ? ['External is invalid'] : []),
    ...(hasId ? ['External has already been taken'] : []),
  ]
}
