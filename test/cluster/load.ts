import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { askHttp } from '#test/agents/askers.ts'
import type { Grounds } from './grounds.ts'

const KINDS = ['question', 'mcp question', 'function call', 'ticket', 'token'] as const
export type Kind = (typeof KINDS)[number]

/** One request. `error` is undefined for a success, `isRetryable` says whether the client was told to repeat it. */
type Attempt = {
  kind: Kind
  from: number
  to: number
  error?: string
  isRetryable?: boolean
  retryAfterMs?: number
  detail?: string
}

export type Load = AsyncDisposable & {
  readonly attempts: readonly Attempt[]
  /** Ids of what was answered with 201. */
  readonly acknowledged: { readonly tickets: readonly string[]; readonly tokens: readonly string[] }
  /** Keys of writes whose outcome the client never learned. */
  readonly unknown: readonly string[]
}

const PAUSE_MS = 60
const MAX_WAIT_MS = 5_000
const GIVE_UP_MS = 30_000

/**
 * Asks, calls and writes until it is disposed, one request of each kind at a time and two of the main ones. A write that
 * fails is repeated with the same key until it is answered, as a client with an Idempotency-Key does.
 */
export function startLoad(grounds: Grounds): Load {
  const attempts: Attempt[] = []
  const acknowledged = { tickets: [] as string[], tokens: [] as string[] }
  const unknown: string[] = []
  const over = new AbortController()
  const attempt = async (kind: Kind, send: (signal: AbortSignal) => Promise<Response>) => {
    const from = performance.now()
    const giveUp = new AbortController()
    const timer = setTimeout(() => giveUp.abort(), GIVE_UP_MS)
    try {
      const response = await send(giveUp.signal)
      const text = await response.text()
      const judged = judge(response, text)
      attempts.push({ kind, from, to: performance.now(), ...judged })
      return { ...judged, text }
    } catch (error) {
      const judged: Judged = { error: connectionError(error), isRetryable: !giveUp.signal.aborted }
      attempts.push({ kind, from, to: performance.now(), ...judged })
      return { ...judged, text: '' }
    } finally {
      clearTimeout(timer)
    }
  }
  const repeat = async (work: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      await work()
      await wait(PAUSE_MS)
    }
  }
  const write = async (
    kind: 'ticket' | 'token',
    ids: string[],
    send: (key: string, signal: AbortSignal) => Promise<Response>,
  ) => {
    const key = randomUUID()
    const giveUpAt = performance.now() + GIVE_UP_MS
    for (;;) {
      const { error, retryAfterMs, text } = await attempt(kind, (signal) => send(key, signal))
      if (error === undefined) return void ids.push((JSON.parse(text) as { id: string }).id)
      // A key whose first request died is in use for two minutes. Others go on meanwhile.
      if (error === 'OUTCOME_UNKNOWN' || performance.now() > giveUpAt) return void unknown.push(key)
      await wait(Math.min(retryAfterMs ?? 500, MAX_WAIT_MS))
    }
  }
  const ask = () =>
    attempt('question', (signal) => askHttp(grounds.url, grounds.token, { query: 'cars' }, 'db_docs', signal))
  const work = [
    repeat(ask),
    repeat(ask),
    repeat(() => attempt('mcp question', (signal) => grounds.askMcp(signal))),
    repeat(() => attempt('function call', (signal) => grounds.callFunction(randomUUID(), signal))),
    repeat(() => write('ticket', acknowledged.tickets, (key, signal) => grounds.fileTicket(key, signal))),
    repeat(() => write('ticket', acknowledged.tickets, (key, signal) => grounds.fileTicket(key, signal))),
    repeat(() => write('token', acknowledged.tokens, (key, signal) => grounds.createToken(key, signal))),
  ]
  return {
    attempts,
    acknowledged,
    unknown,
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await Promise.all(work)
    },
  }
}

type Judged = Pick<Attempt, 'error' | 'isRetryable' | 'retryAfterMs' | 'detail'>

function judge(response: Response, text: string): Judged {
  const { status, headers } = response
  const fromProxy = headers.get('x-from') === 'haproxy'
  if (status === 200 || status === 201) return judgeTool(text)
  const detail = fromProxy ? undefined : text.slice(0, 300)
  const code = fromProxy ? `${status} of the proxy` : codeOf(text, status)
  const isRetryable = headers.has('retry-after') && [409, 429, 502, 503, 504].includes(status)
  const retryAfterMs = Number(headers.get('retry-after') ?? 1) * 1_000
  return { error: code, isRetryable, retryAfterMs, ...(detail !== undefined && { detail }) }
}

/** An MCP server reports a refusal in a result, and says in words when to repeat the call. */
function judgeTool(text: string): Judged {
  if (!text.startsWith('{"jsonrpc"') && !text.startsWith('{"result"')) return {}
  const { result, error } = JSON.parse(text) as { result?: { isError?: boolean; content?: unknown }; error?: object }
  if (!error && !result?.isError) return {}
  const detail = JSON.stringify(error ?? result?.content).slice(0, 300)
  return { error: 'error of a tool', isRetryable: /try again|retry/i.test(detail), detail }
}

function codeOf(text: string, status: number): string {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? String(status)
  } catch {
    return String(status)
  }
}

function connectionError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(error).slice(0, 60)
  return `connection: ${code}`
}
