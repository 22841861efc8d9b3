import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { readLedger } from '#test/deliveries/delivery-ledger.ts'
import type { Sink } from '#test/deliveries/delivery-sink.ts'
import type { Grounds } from './grounds.ts'
import type { Load } from './load.ts'

/** The effect of one fault on the requests that ran meanwhile. */
export type FaultRow = {
  fault: string
  seconds: number
  requests: number
  /** Errors by kind, with their number. */
  errors: Record<string, number>
  /** Errors that no client may repeat on its own, or that came after the fault. */
  faults: string[]
  /** Longest time without a success of one kind of request, in milliseconds. */
  longestGapMs: number
}

type Span = { name: string; from: number; to: number }

/** Requests that end up to this long after a fault may still carry its error. */
const AFTERMATH_MS = 2_000

export function rowOf({ name, from, to }: Span, load: Load, until: number): FaultRow {
  const during = load.attempts.filter((attempt) => attempt.to >= from && attempt.from <= until)
  const failed = during.filter(({ error }) => error !== undefined)
  const isLate = (attempt: { from: number }) => attempt.from > to + AFTERMATH_MS
  const wrong = failed.filter((attempt) => !attempt.isRetryable || isLate(attempt))
  const errors: Record<string, number> = {}
  for (const { kind, error } of failed) {
    const label = `${kind}: ${error}`
    errors[label] = (errors[label] ?? 0) + 1
  }
  return {
    fault: name,
    seconds: Math.round((to - from) / 100) / 10,
    requests: during.length,
    errors,
    faults: wrong.map((attempt) => describe(attempt, to)),
    longestGapMs: longestGap(during, from, until),
  }
}

function describe({ kind, from, error, isRetryable, detail }: Load['attempts'][number], faultEnd: number): string {
  const when = from > faultEnd ? `, ${Math.round(from - faultEnd)} ms after the fault` : ''
  return `${kind}: ${error}${isRetryable ? '' : ' (not retryable)'}${when}${detail ? ` ${detail}` : ''}`
}

function longestGap(attempts: Load['attempts'], from: number, until: number): number {
  const kinds = Map.groupBy(attempts, ({ kind }) => kind)
  const gaps = [...kinds.values()].flatMap((ofKind) => {
    const ends = ofKind.filter(({ error }) => error === undefined).map(({ to }) => to)
    const marks = [from, ...ends.toSorted((a, b) => a - b), until]
    return marks.slice(1).map((mark, i) => mark - marks[i]!)
  })
  return Math.round(Math.max(0, ...gaps))
}

/** Numbers of acknowledged writes, and of those that were lost, delivered twice or left unknown. */
export type Balance = {
  tickets: number
  tokens: number
  calls: number
  deliveries: number
  /** Messages that ended `unknown`: their worker died while it sent them. */
  deliveriesUnknown: number
  writesUnknown: number
  lost: string[]
  duplicates: string[]
}

export async function balanceOf(db: Db, load: Load, grounds: Grounds, sink: Sink): Promise<Balance> {
  const tickets = await db.query<{ id: string; title: string }>(sql`select id, title from tickets.tickets`)
  const tokens = await db.query<{ id: string; name: string }>(sql`select id, name from auth.api_tokens`)
  const events = await db.query<{ id: string; ticket: string }>(sql`
    select id, body -> 'ticket' ->> 'id' as ticket from notifications.events where type = 'support.ticket.created'`)
  const ledger = Map.groupBy(await readLedger(db), ({ event_id }) => event_id)
  const stored = new Set([...tickets, ...tokens].map(({ id }) => id))
  const eventOf = new Map(events.map(({ id, ticket }) => [ticket, id]))
  const lost: string[] = []
  const { acknowledged } = load
  for (const id of [...acknowledged.tickets, ...acknowledged.tokens]) if (!stored.has(id)) lost.push(id)
  let unknown = 0
  for (const id of acknowledged.tickets) {
    const rows = ledger.get(eventOf.get(id) ?? '') ?? []
    const isSent = rows.some((row) => row.state === 'sent' && sink.accepted.has(row.id))
    const isUnknown = rows.some((row) => row.state === 'unknown')
    if (isUnknown) unknown += 1
    else if (!isSent)
      lost.push(`delivery of ${id}: ${rows.map(({ state, reason }) => `${state} ${reason}`).join() || 'none'}`)
  }
  return {
    tickets: acknowledged.tickets.length,
    tokens: acknowledged.tokens.length,
    calls: grounds.runs.size,
    deliveries: sink.accepted.size,
    deliveriesUnknown: unknown,
    writesUnknown: load.unknown.length,
    lost,
    duplicates: [
      ...repeated(tickets.map(({ title }) => title)).map((title) => `ticket ${title}`),
      ...repeated(tokens.map(({ name }) => name)).map((name) => `token ${name}`),
      ...repeated(events.map(({ ticket }) => ticket)).map((id) => `event of ${id}`),
      ...[...sink.accepted].filter(([, times]) => times > 1).map(([id]) => `delivery ${id}`),
      ...[...grounds.runs].filter(([, times]) => times > 1).map(([id]) => `run ${id}`),
    ],
  }
}

/** Prints how many requests of each kind succeeded and how long they took. */
export function printKinds({ attempts }: Load): void {
  const succeeded = attempts.filter(({ error }) => error === undefined)
  for (const [kind, ofKind] of Map.groupBy(succeeded, (attempt) => attempt.kind)) {
    const took = ofKind.map(({ from, to }) => to - from).toSorted((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map((share) => took[Math.floor(took.length * share)]!.toFixed(0))
    console.log(`${kind.padEnd(14)} ${String(took.length).padStart(6)} answered, p50 ${p50} ms, p99 ${p99} ms`)
  }
}

function repeated(texts: readonly string[]): string[] {
  return [...Map.groupBy(texts, (text) => text)].filter(([, { length }]) => length > 1).map(([text]) => text)
}

export function printRows(rows: readonly FaultRow[]): void {
  for (const { fault, seconds, requests, errors, longestGapMs, faults } of rows) {
    const kinds = Object.entries(errors).map(([kind, count]) => `${count} × ${kind}`)
    console.log(
      `${fault.padEnd(34)} ${String(seconds).padStart(6)} s ${String(requests).padStart(6)} requests, longest gap ${longestGapMs} ms`,
    )
    if (kinds.length > 0) console.log(`    ${kinds.join('; ')}`)
    for (const text of [...new Set(faults)].slice(0, 12)) console.log(`    WRONG ${text}`)
    if (faults.length > 12) console.log(`    WRONG and ${faults.length - 12} more`)
  }
}
