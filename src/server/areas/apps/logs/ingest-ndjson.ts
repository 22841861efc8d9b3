import { z } from 'zod'
import { LogLevel } from '#contract/apps/logs.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { cleanLine } from './clean-line.ts'
import { levelIn, levelNumber } from './level.ts'
import { appendLines, type NewLine } from './store.ts'
import { timeOfLine } from './time-of-line.ts'

const BATCH_LINES = 1_000
const MAX_ERRORS = 20
/** A JSON line can be longer than the text in it; one above this is refused and the rest goes on. */
const MAX_LINE_BYTES = 1024 * 1024

const Line = z.strictObject({
  text: z.string(),
  at: z.iso.datetime({ offset: true }).optional(),
  level: LogLevel.optional(),
  deploy_id: z.string().max(100).optional(),
})

type Deps = { readonly db: Db; readonly clock: Clock }
type Ingested = { accepted: number; rejected: number; errors: { line: number; message: string }[] }

/** Stores the lines of a body in batches as it arrives. What cannot be read is counted, and the rest is stored. */
export async function readNdjson(
  { db, clock }: Deps,
  appId: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Ingested> {
  const result: Ingested = { accepted: 0, rejected: 0, errors: [] }
  let batch: NewLine[] = []
  const store = async () => {
    if (batch.length === 0) return
    const lines = batch
    batch = []
    await db.tx((tx) => appendLines(tx, appId, lines))
    result.accepted += lines.length
  }
  let number = 0
  for await (const text of linesOf(body)) {
    number++
    if (text === '') continue
    const line = text === undefined ? `is longer than ${MAX_LINE_BYTES} bytes` : readLine(text, clock.now())
    if (typeof line === 'string') {
      result.rejected++
      if (result.errors.length < MAX_ERRORS) result.errors.push({ line: number, message: line })
    } else batch.push(line)
    if (batch.length >= BATCH_LINES) await store()
  }
  await store()
  return result
}

/** Returns what is wrong as text. */
function readLine(text: string, now: Date): NewLine | string {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'is not valid JSON'
  }
  const parsed = Line.safeParse(json)
  if (!parsed.success) return 'must be an object with `text` and optionally `at`, `level` and `deploy_id`'
  const { at, level, deploy_id } = parsed.data
  const clean = cleanLine(parsed.data.text)
  return {
    deployId: deploy_id ?? null,
    at: at === undefined ? now : timeOfLine(new Date(at), now),
    level: levelNumber(level ?? levelIn(clean) ?? 'info'),
    source: 'ingest',
    text: clean,
    dropped: 0,
  }
}

/** Splits a body into lines. Yields undefined for a line that is too long, of which nothing is kept. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = []
  let size = 0
  const take = (): string | undefined => {
    const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8').trim()
    parts = []
    size = 0
    return line
  }
  for await (const chunk of body) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      size += at - from
      if (size <= MAX_LINE_BYTES) parts.push(chunk.subarray(from, at))
      yield take()
      from = at + 1
    }
    size += chunk.length - from
    if (size <= MAX_LINE_BYTES) parts.push(chunk.subarray(from))
    else parts = []
  }
  if (size > 0) yield take()
}
