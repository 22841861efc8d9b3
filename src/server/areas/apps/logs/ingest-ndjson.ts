import { z } from 'zod'
import { LogLevel } from '#contract/apps/logs.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { parseJson } from '#edge/input/parse-json.ts'
import { statedLevel } from '#lib/log/stated-level.ts'
import type { AppDeps } from '../model/deps.ts'
import { cleanLine } from './clean-line.ts'
import { levelNumber } from './level.ts'
import { appendLines, type NewLine } from './store.ts'
import { timeOfLine } from './time-of-line.ts'

/** Stored by one transaction. The texts are bounded too, because a line can have 16 KiB. */
const BATCH_LINES = 10_000
const BATCH_CHARACTERS = 2 * 1024 * 1024
const MAX_ERRORS = 20
/** A JSON line can be longer than the text in it; one above this is refused and the rest goes on. */
const MAX_LINE_BYTES = 1024 * 1024
const LINE_FEED = 10

const Line = z.strictObject({
  text: z.string(),
  at: z.iso.datetime({ offset: true }).optional(),
  level: LogLevel.optional(),
  deploy_id: z.string().max(100).optional(),
})

type Deps = Pick<AppDeps, 'db' | 'clock'>
type Ingested = { accepted: number; rejected: number; errors: { line: number; message: string }[] }

/** Stores the lines of a body in batches as it arrives. What cannot be read is counted, and the rest is stored. */
export async function readNdjson(
  { db, clock }: Deps,
  appId: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Ingested> {
  const result = { rejected: 0, errors: [] as Ingested['errors'] }
  await using batches = createBatches(async (lines) => {
    await db.tx((tx) => appendLines(tx, appId, lines))
  })
  let number = 0
  for await (const texts of linesOf(body)) {
    const now = clock.now()
    for (const text of texts) {
      number++
      if (text?.trim() === '') continue
      const line = text === undefined ? `is longer than ${MAX_LINE_BYTES} bytes` : readLine(text, now)
      if (typeof line === 'string') {
        result.rejected++
        if (result.errors.length < MAX_ERRORS) result.errors.push({ line: number, message: line })
      } else if (batches.add(line)) await batches.store()
    }
  }
  return { accepted: await batches.end(), ...result }
}

/** Gathers lines in batches. One is stored while the next is read, in their order. */
function createBatches(append: (lines: readonly NewLine[]) => Promise<void>) {
  let [batch, characters, stored]: [NewLine[], number, number] = [[], 0, 0]
  let storing: Promise<void> = Promise.resolve()
  /** Begins to store the batch when the one before it is stored, so that at most two are in memory. */
  const store = async () => {
    await storing
    const lines = batch
    batch = []
    characters = 0
    if (lines.length === 0) return
    storing = append(lines).then(() => {
      stored += lines.length
    })
    // The next call of `store` rejects with the reason.
    storing.catch(() => {})
  }
  return {
    /** Returns whether the batch is full and has to be stored. */
    add: (line: NewLine) => {
      batch.push(line)
      characters += line.text.length
      return batch.length >= BATCH_LINES || characters >= BATCH_CHARACTERS
    },
    store,
    /** Stores what is left, and returns how many lines were stored. */
    end: async () => {
      await store()
      await storing
      return stored
    },
    [Symbol.asyncDispose]: () => storing.catch(() => {}),
  }
}

/** Most lines that are refused fail here, without the cost of a fault. */
function hasText(json: unknown): boolean {
  return typeof json === 'object' && json !== null && typeof (json as { text?: unknown }).text === 'string'
}

/** Returns what is wrong as text. */
function readLine(text: string, now: Date): NewLine | string {
  let json: unknown
  try {
    json = parseJson(text)
  } catch (error) {
    const isTooLarge = error instanceof ServiceError && error.code === 'INVALID_REQUEST'
    return isTooLarge ? 'is nested too deeply or has too many keys' : 'is not valid JSON'
  }
  // Not `safeParse`, because it writes a text for every fault, and a body can have a million faulty lines.
  const parsed = hasText(json) ? Line._zod.run({ value: json, issues: [] }, { async: false }) : undefined
  if (parsed === undefined || parsed instanceof Promise || parsed.issues.length > 0) {
    return 'must be an object with `text` and optionally `at`, `level` and `deploy_id`'
  }
  const { at, level, deploy_id, text: sent } = parsed.value as z.output<typeof Line>
  const clean = cleanLine(sent)
  return {
    deployId: deploy_id ?? null,
    at: at === undefined ? now : timeOfLine(new Date(at), now),
    level: levelNumber(level ?? statedLevel(clean) ?? 'info'),
    source: 'ingest',
    text: clean,
    dropped: 0,
  }
}

/**
 * Splits a body into lines, those of one piece of the body together. Undefined stands for a line that is too long, of
 * which nothing is kept.
 */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<(string | undefined)[]> {
  let parts: Uint8Array[] = []
  let size = 0
  const keep = (part: Uint8Array) => {
    size += part.length
    if (size <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  const take = (): string | undefined => {
    const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8')
    parts = []
    size = 0
    return line
  }
  for await (const chunk of body) {
    const [first, last] = [chunk.indexOf(LINE_FEED), chunk.lastIndexOf(LINE_FEED)]
    if (first === -1) {
      keep(chunk)
      continue
    }
    keep(chunk.subarray(0, first))
    yield [take()]
    if (last > first) yield wholeLines(chunk.subarray(first + 1, last))
    keep(chunk.subarray(last + 1))
  }
  if (size > 0) yield [take()]
}

function wholeLines(bytes: Uint8Array): (string | undefined)[] {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').split('\n')
  // A character has at most three bytes for each unit of its length.
  const isShort = (line: string) => line.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(line) <= MAX_LINE_BYTES
  return lines.map((line) => (isShort(line) ? line : undefined))
}
