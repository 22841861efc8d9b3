import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Browser, Page, Request } from 'playwright-core'
import { type Operation, pathShape } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { openContext } from './chromium.ts'
import { exampleOf, withParts } from './schema-example.ts'

/**
 * Parts of answers, by the name of their operation. They replace those of the example of its schema. Parts with the keys
 * `status` and `json` are a refusal.
 */
export type Answers = Readonly<Record<string, object>>

type Sent = { readonly operation: string; readonly key: string | undefined }

export type FixedConsole = AsyncDisposable & {
  readonly page: Page
  /** The requests by which the page changes something. They never get an answer, except for operations that `answers` names. */
  readonly sent: readonly Sent[]
  /** Stops the service, and starts it again at the same address. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  readonly open: (path: string, answers?: Answers) => Promise<void>
  /** Waits for the next request of the operation. */
  readonly waitForSent: (operation: string) => Promise<unknown>
}

const BUILT = join(import.meta.dirname, '..', '..', '..', 'dist', 'console')
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.html': 'text/html',
}

/**
 * Opens the built console on a service whose answers are the examples of their schemas. Needs no system. The service
 * listens on loopback, because a browser whose requests are routed reads every script again for each page.
 */
export async function openFixedConsole(browser: Browser): Promise<FixedConsole> {
  const sent: Sent[] = []
  const arrivals = new EventEmitter()
  let fixed: Answers = {}
  const server = createServer(({ method = '', url = '' }, response) => {
    const { pathname } = new URL(url, 'http://console')
    const operation = findOperation(method, pathname)
    if (operation) sendAnswer(response, operation, fixed)
    else sendFile(response, pathname)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const context = await openContext(browser, { reducedMotion: 'reduce' })
  const page = await context.newPage()
  // The browser reports requests in the order in which the page sends them. The service may get them in another one.
  page.on('request', (request: Request) => {
    const operation = findOperation(request.method(), new URL(request.url()).pathname)
    if (!operation || !isChange(operation)) return
    sent.push({ operation: operation.name, key: request.headers()['idempotency-key'] })
    arrivals.emit(operation.name)
  })
  return {
    page,
    sent,
    open: async (path, answers = {}) => {
      fixed = answers
      sent.length = 0
      await page.goto(`${origin}${path}`)
    },
    stop: async () => {
      const isClosed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await isClosed
    },
    start: async () => {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    waitForSent: (name) => once(arrivals, name),
    [Symbol.asyncDispose]: async () => {
      await context.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Raw operations are pages and forms of sign-in; of these only the ones that sign out are asked by the console. */
function findOperation(method: string, path: string): Operation | undefined {
  return OPERATIONS.find(
    (op) =>
      op.method === method && pathShape(op.path).test(path) && (op.kind !== 'raw' || op.name === 'sign-in.sign-out'),
  )
}

function isChange({ method }: Operation): boolean {
  return method !== 'GET'
}

type Refusal = { readonly status: number; readonly json: object }

function isRefusal(answer: object): answer is Refusal {
  return 'status' in answer && 'json' in answer
}

function sendAnswer(response: ServerResponse, operation: Operation, fixed: Answers): void {
  const parts = fixed[operation.name]
  // A request that is never answered keeps the act running for as long as the test looks at it.
  if (isChange(operation) && !parts) return
  const isRefused = parts !== undefined && isRefusal(parts)
  const { status, json } = isRefused ? parts : { status: 200, json: answerOf(operation, fixed) }
  response.writeHead(status, { 'content-type': isRefused ? 'application/problem+json' : 'application/json' })
  response.end(JSON.stringify(json))
}

function answerOf(operation: Operation, fixed: Answers): unknown {
  if (!('output' in operation)) return {}
  return [{ next_cursor: null }, SIGNED_IN[operation.name], fixed[operation.name]].reduce<unknown>(
    (answer, parts) => (parts ? withParts(answer, parts) : answer),
    exampleOf(operation.output),
  )
}

const SIGNED_IN: Answers = {
  'auth.me': {
    user: { id: 'usr_1', email: 'ada@example.com', name: 'Ada Lovelace' },
    org: { id: 'org_1', name: 'Engines', slug: 'engines' },
    role: 'owner',
    read_only: false,
  },
}

function sendFile(response: ServerResponse, path: string): void {
  const isAsset = path.startsWith('/assets/')
  const file = isAsset ? path : '/index.html'
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'text/plain',
    'cache-control': isAsset ? 'max-age=31536000, immutable' : 'no-cache',
  })
  response.end(readFileSync(join(BUILT, file)))
}
