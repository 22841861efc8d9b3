import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { type Operation, pathShape } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { openContext, WAIT_MS } from './chromium.ts'
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
  readonly open: (path: string, answers?: Answers) => Promise<void>
  /** Waits for the next request of the operation. */
  readonly waitForSent: (operation: string) => Promise<unknown>
}

const ORIGIN = 'http://console.test'
const BUILT = join(import.meta.dirname, '..', '..', '..', 'dist', 'console')
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.html': 'text/html',
}

/** Opens the built console on a service whose answers are the examples of their schemas. Needs no system. */
export async function openFixedConsole(browser: Browser): Promise<FixedConsole> {
  const context = await openContext(browser)
  const page = await context.newPage()
  const sent: Sent[] = []
  const arrivals = new EventEmitter()
  let fixed: Answers = {}
  await context.route(`${ORIGIN}/**`, async (route) => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    const operation = findOperation(request.method(), pathname)
    if (!operation) return sendFile(route, pathname)
    if (isChange(operation)) {
      sent.push({ operation: operation.name, key: request.headers()['idempotency-key'] })
      arrivals.emit(operation.name)
    }
    // A request that is never answered keeps the act running for as long as the test looks at it.
    if (isChange(operation) && !(operation.name in fixed)) return
    const refusal = fixed[operation.name]
    if (refusal && isRefusal(refusal)) return route.fulfill({ ...refusal, contentType: 'application/problem+json' })
    await route.fulfill({ json: answerOf(operation, fixed) })
  })
  return {
    page,
    sent,
    open: async (path, answers = {}) => {
      fixed = answers
      sent.length = 0
      await page.goto(`${ORIGIN}${path}`)
    },
    // Not `page.waitForRequest`: the browser may report a request before it comes to the route above.
    waitForSent: (name) => once(arrivals, name, { signal: AbortSignal.timeout(WAIT_MS) }),
    [Symbol.asyncDispose]: () => context.close(),
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

async function sendFile(route: Route, path: string): Promise<void> {
  const file = path.startsWith('/assets/') ? path : '/index.html'
  await route.fulfill({ body: readFileSync(join(BUILT, file)), contentType: TYPES[extname(file)] ?? 'text/plain' })
}
