import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { applyTo, type Owners, shown } from './fake-apply.ts'
import { CERTIFICATES } from './fake-kubernetes-certificates.ts'

type Status = {
  containerStatuses?: { name: string; restartCount: number; state: { running?: object } }[]
  initContainerStatuses?: { name: string; restartCount: number; state: { running?: object } }[]
}
/** An object of any kind, as a client without types sees it. */
type FakeObject = {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    uid: string
    creationTimestamp: string
    resourceVersion?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  spec?: unknown
  data?: Record<string, string>
  status?: Status
}
type Stored = { resource: string; object: FakeObject; owners: Owners }
type Change = { type: string; resource: string; version: number; object: FakeObject }
type LogLine = { time: string; text: string }
type Where = { resource: string; namespace: string | undefined; name: string | undefined; sub: string | undefined }

/**
 * A Kubernetes API server on loopback over TLS, for the objects that svc makes: server-side apply with field managers and
 * conflicts, lists, watches and logs, on the wire as version 1.36 speaks it. Nothing runs in it by itself.
 */
export type FakeApiServer = AsyncDisposable & {
  readonly url: string
  /** Has ca.crt, token and namespace, as a pod of svc has them. */
  readonly credentialsDir: string
  readonly ca: string
  readonly token: string
  /** Requests so far, as `verb resource`, such as `patch deployments`. */
  readonly asked: Set<string>
  /** As `asked`, without what the fake nodes ask. */
  readonly askedBySvc: Set<string>
  /** All headers, paths and methods of writes, for tests of the wire. */
  readonly writes: { method: string; path: string; contentType: string | undefined }[]
  objects(resource: string): FakeObject[]
  removeByHand(resource: string, namespace: string, name: string): Promise<void>
  /** Applies fields as another manager would. */
  applyAs(manager: string, resource: string, namespace: string | undefined, name: string, fields: object): void
  /** Forgets the history, so that watches from an old version get 410 Gone. */
  compact(): void
  /** Ends open watches and logs: `clean` as after their time, otherwise as when the server dies. */
  endStreams(how: 'clean' | 'broken'): void
  openStreams(): number
  /** Statuses to answer the next requests with. */
  readonly faults: number[]
  writeLog(pod: string, container: string, line: LogLine): void
  stop(): Promise<void>
  start(): Promise<void>
  replaceToken(): void
}

/** By which the fake nodes can be told from svc. */
export const NODE_AGENT = 'fake-node'

const GROUP =
  /^(?:\/api\/v1|\/apis\/apps\/v1|\/apis\/networking\.k8s\.io\/v1)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/
const NAMESPACE = /^\/api\/v1\/namespaces(?:\/([^/]+))?$/

export async function startFakeApiServer(): Promise<FakeApiServer> {
  const certificate = CERTIFICATES[0]
  const credentialsDir = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  let token: string = randomUUID()
  let version = 100
  let history: Change[] = []
  let oldest = version
  const stored = new Map<string, Stored>()
  const streams = new Set<{ response: ServerResponse; onChange?: (change: Change) => void; onLog?: () => void }>()
  const logs = new Map<string, LogLine[]>()
  let port = 0
  let server: Server

  const keyOf = (resource: string, namespace: string | undefined, name: string) =>
    `${resource}/${namespace ?? ''}/${name}`
  const publish = (type: string, { resource, object }: Stored) => {
    version += 1
    object.metadata.resourceVersion = String(version)
    const change = { type, resource, version, object: structuredClone(object) }
    history.push(change)
    for (const stream of streams) stream.onChange?.(change)
  }
  const make = (where: Where & { name: string }, apiVersion: string, kind: string): Stored => {
    const metadata = { name: where.name, ...(where.namespace && { namespace: where.namespace }) }
    const identity = { uid: randomUUID(), creationTimestamp: new Date().toISOString() }
    const entry = {
      resource: where.resource,
      object: { apiVersion, kind, metadata: { ...metadata, ...identity } },
      owners: new Map(),
    }
    stored.set(keyOf(where.resource, where.namespace, where.name), entry)
    return entry
  }
  const needNamespace = (namespace: string | undefined): Failure | undefined => {
    if (namespace === undefined || stored.has(keyOf('namespaces', undefined, namespace))) return undefined
    return failure(404, `namespaces "${namespace}" not found`, 'NotFound')
  }

  const apply = (where: Where & { name: string }, query: URLSearchParams, body: FakeObject, contentType?: string) => {
    if (contentType !== 'application/apply-patch+yaml')
      return failure(415, 'the body of the request was in an unknown format')
    const manager = query.get('fieldManager')
    if (!manager)
      return failure(
        400,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      )
    const missing = needNamespace(where.namespace)
    if (missing) return missing
    const existing = stored.get(keyOf(where.resource, where.namespace, where.name))
    const entry = existing ?? make(where, body.apiVersion, body.kind)
    const conflicts = applyTo(entry.object, body, { manager, force: query.get('force') === 'true' }, entry.owners)
    if (conflicts.length > 0) return conflictOf(conflicts, body.apiVersion)
    publish(existing ? 'MODIFIED' : 'ADDED', entry)
    return { status: existing ? 200 : 201, body: entry.object }
  }

  const mergeStatus = (where: Where & { name: string }, body: FakeObject) => {
    const entry = stored.get(keyOf(where.resource, where.namespace, where.name))
    if (!entry) return failure(404, `${where.resource} "${where.name}" not found`, 'NotFound')
    entry.object.status = { ...entry.object.status, ...body.status }
    publish('MODIFIED', entry)
    return { status: 200, body: entry.object }
  }

  const create = (where: Where, body: FakeObject) => {
    const missing = needNamespace(where.namespace)
    if (missing) return missing
    const entry = make({ ...where, name: body.metadata.name }, body.apiVersion, body.kind)
    entry.object.metadata = { ...body.metadata, ...entry.object.metadata }
    entry.object.spec = body.spec
    publish('ADDED', entry)
    return { status: 201, body: entry.object }
  }

  const remove = (where: Where & { name: string }) => {
    const key = keyOf(where.resource, where.namespace, where.name)
    const entry = stored.get(key)
    if (!entry) return failure(404, `${where.resource} "${where.name}" not found`, 'NotFound')
    stored.delete(key)
    publish('DELETED', entry)
    return { status: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } }
  }

  const matching =
    ({ resource, namespace }: Where, query: URLSearchParams) =>
    (change: { resource: string; object: FakeObject }) => {
      const { metadata } = change.object
      if (change.resource !== resource || (namespace !== undefined && metadata.namespace !== namespace)) return false
      const [label, labelValue] = (query.get('labelSelector') ?? '').split('=')
      const [, fieldValue] = (query.get('fieldSelector') ?? '').split('=')
      return (!label || metadata.labels?.[label] === labelValue) && (!fieldValue || metadata.name === fieldValue)
    }

  const watch = (where: Where, query: URLSearchParams, response: ServerResponse) => {
    const from = Number(query.get('resourceVersion'))
    const isMatch = matching(where, query)
    response.writeHead(200, { 'content-type': 'application/json' })
    const emit = (type: string, object: unknown) => void response.write(`${JSON.stringify({ type, object })}\n`)
    if (from < oldest) {
      emit('ERROR', failure(410, `too old resource version: ${from} (${oldest})`, 'Expired').body)
      return void response.end()
    }
    const onChange = (change: Change) => isMatch(change) && emit(change.type, change.object)
    for (const change of history) if (change.version > from) onChange(change)
    if (query.get('allowWatchBookmarks') === 'true') {
      emit('BOOKMARK', { kind: 'Bookmark', metadata: { resourceVersion: String(version) } })
    }
    track(response, { response, onChange })
  }

  const follow = (where: Where, query: URLSearchParams, response: ServerResponse) => {
    const container = query.get('container')!
    const pod = stored.get(keyOf('pods', where.namespace, where.name!))
    if (!pod) return send(response, failure(404, `pods "${where.name}" not found`, 'NotFound'))
    const statusNow = () => {
      const status = stored.get(keyOf('pods', where.namespace, where.name!))?.object.status
      return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
        ({ name }) => name === container,
      )
    }
    const run = statusNow()?.restartCount ?? 0
    const since = query.get('sinceTime')
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.flushHeaders()
    let sent = 0
    const onLog = () => {
      const lines = logs.get(`${where.name}/${container}`) ?? []
      for (; sent < lines.length; sent++) {
        const { time, text: line } = lines[sent]!
        // The server compares whole seconds.
        if (since === null || time.slice(0, 19) >= since.slice(0, 19)) response.write(`${time} ${line}\n`)
      }
      const status = statusNow()
      if (!status?.state?.running || status.restartCount !== run) response.end()
    }
    if (query.get('follow') === 'true') track(response, { response, onLog, onChange: onLog })
    onLog()
    if (query.get('follow') !== 'true') response.end()
  }

  const track = (
    response: ServerResponse,
    stream: { response: ServerResponse; onChange?: (change: Change) => void; onLog?: () => void },
  ) => {
    streams.add(stream)
    response.once('close', () => streams.delete(stream))
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'https://127.0.0.1')
    const body = await readText(request)
    const fault = fake.faults.shift()
    if (fault !== undefined) return send(response, failure(fault, 'injected'))
    if (request.headers.authorization !== `Bearer ${token}`)
      return send(response, failure(401, 'Unauthorized', 'Unauthorized'))
    if (url.pathname === '/version') return send(response, { status: 200, body: { major: '1', minor: '36' } })
    const where = whereOf(url.pathname)
    const isWatch = url.searchParams.get('watch') === 'true'
    const verb = isWatch
      ? 'watch'
      : where.name === undefined && request.method === 'GET'
        ? 'list'
        : VERBS[request.method!]!
    const asked = `${verb} ${where.resource}${where.sub ? `/${where.sub}` : ''}`
    fake.asked.add(asked)
    if (request.headers['user-agent'] !== NODE_AGENT) fake.askedBySvc.add(asked)
    if (request.method !== 'GET') {
      fake.writes.push({ method: request.method!, path: request.url!, contentType: request.headers['content-type'] })
    }
    if (isWatch) return watch(where, url.searchParams, response)
    if (where.sub === 'log') return follow(where, url.searchParams, response)
    const named = where as Where & { name: string }
    if (request.method === 'POST') return send(response, create(where, JSON.parse(body)))
    if (request.method === 'DELETE') return send(response, remove(named))
    if (request.method === 'PATCH') {
      const json = JSON.parse(body) as FakeObject
      if (where.sub === 'status') return send(response, mergeStatus(named, json))
      return send(response, apply(named, url.searchParams, json, request.headers['content-type']))
    }
    if (where.name === undefined) {
      const items = [...stored.values()].filter(matching(where, url.searchParams)).map(({ object }) => object)
      return send(response, { status: 200, body: { metadata: { resourceVersion: String(version) }, items } })
    }
    const found = stored.get(keyOf(where.resource, where.namespace, where.name))
    send(
      response,
      found
        ? { status: 200, body: found.object }
        : failure(404, `${where.resource} "${where.name}" not found`, 'NotFound'),
    )
  }

  const start = async () => {
    server = createServer(certificate, (request, response) => void answer(request, response))
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
  }
  const stop = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  const writeCredentials = () => {
    writeFileSync(join(credentialsDir, 'ca.crt'), certificate.cert)
    writeFileSync(join(credentialsDir, 'token'), `${token}\n`)
    writeFileSync(join(credentialsDir, 'namespace'), 'svc')
  }
  await start()
  writeCredentials()
  const fake: FakeApiServer = {
    url: `https://127.0.0.1:${port}`,
    credentialsDir,
    ca: certificate.cert,
    get token() {
      return token
    },
    asked: new Set(),
    askedBySvc: new Set(),
    removeByHand: async (resource, namespace, name) => void remove({ resource, namespace, name, sub: undefined }),
    writes: [],
    faults: [],
    objects: (resource) =>
      [...stored.values()].filter((entry) => entry.resource === resource).map(({ object }) => object),
    applyAs: (manager, resource, namespace, name, fields) => {
      const where = { resource, namespace, name, sub: undefined }
      const entry = stored.get(keyOf(resource, namespace, name)) ?? make(where, 'v1', 'Namespace')
      applyTo(entry.object, fields, { manager, force: true }, entry.owners)
      publish('MODIFIED', entry)
    },
    compact: () => {
      version += 10
      oldest = version
      history = []
    },
    endStreams: (how) => {
      const open = [...streams]
      streams.clear()
      for (const { response } of open) {
        if (how === 'clean') response.end()
        else response.destroy()
      }
    },
    openStreams: () => streams.size,
    writeLog: (pod, container, line) => {
      const key = `${pod}/${container}`
      logs.set(key, [...(logs.get(key) ?? []), line])
      for (const stream of streams) stream.onLog?.()
    },
    stop,
    start,
    replaceToken: () => {
      token = randomUUID()
      writeCredentials()
    },
    [Symbol.asyncDispose]: async () => {
      await stop()
      rmSync(credentialsDir, { recursive: true, force: true })
    },
  }
  return fake
}

const VERBS: Record<string, string> = { GET: 'get', POST: 'create', PATCH: 'patch', DELETE: 'delete' }

function whereOf(path: string): Where {
  const [whole, ofNamespace] = NAMESPACE.exec(path) ?? []
  if (whole) return { resource: 'namespaces', namespace: undefined, name: ofNamespace, sub: undefined }
  const [, namespace, resource, name, sub] = GROUP.exec(path) ?? []
  if (!resource) throw new Error(`the fake has no ${path}`)
  return { resource, namespace, name, sub }
}

type Failure = { status: number; body: unknown }

function failure(status: number, message: string, reason?: string, causes?: object[]): Failure {
  const details = causes && { details: { causes } }
  const base = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: status }
  return { status, body: { ...base, ...(reason && { reason }), ...details } }
}

function conflictOf(conflicts: { manager: string; field: string }[], apiVersion: string): Failure {
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${manager}" using ${apiVersion}`,
    field: shown(field),
  }))
  const text = `Apply failed with ${causes.length} conflict${causes.length > 1 ? 's' : ''}: ${causes[0]!.message}: ${causes[0]!.field}`
  return failure(409, text, 'Conflict', causes)
}

function send(response: ServerResponse, { status, body }: { status: number; body: unknown }): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
