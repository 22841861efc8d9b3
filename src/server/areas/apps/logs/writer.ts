import { statedLevel } from '#lib/log/stated-level.ts'
import { createWake } from '#lib/work/wake.ts'
import type { AppDeps } from '../model/deps.ts'
import type { WriteLog } from '../model/write-log.ts'
import { cleanLine } from './clean-line.ts'
import { levelNumber } from './level.ts'
import { appendLines, type NewLine } from './store.ts'
import { timeOfLine } from './time-of-line.ts'

/** Lines of one app that wait to be stored. Above it lines are dropped and counted. */
const MAX_WAITING_LINES = 10_000
const MAX_WAITING_BYTES = 8 * 1024 * 1024
const BATCH_LINES = 1_000
/** How long a line waits for others, so that a busy app costs few transactions. */
const GATHER_MS = 100
const RETRY_MS = 1_000

/** How long somebody may wait for lines to be stored. */
const STORED_WITHIN_MS = 2_000

type Waiting = { lines: NewLine[]; bytes: number; dropped: number; onStored: (() => void)[] }

type Deps = Pick<AppDeps, 'db' | 'clock'> & { readonly onError: (error: unknown) => void }

type LogWriter = AsyncDisposable & {
  readonly write: WriteLog
  /** Resolves when no line of the app waits any more, and after two seconds at the latest. */
  readonly stored: (appId: string) => Promise<void>
}

/**
 * Stores the lines of the apps of this process in small batches. An app that writes faster than they can be stored
 * loses lines, never the service its memory; the log then says how many.
 */
export function createLogWriter({ db, clock, onError }: Deps): LogWriter {
  const waiting = new Map<string, Waiting>()
  const wake = createWake()
  const stopping = new AbortController()

  const write: WriteLog = ({ appId, deployId, source, level, text, at, dropped = 0 }) => {
    const queue = waiting.get(appId) ?? { lines: [], bytes: 0, dropped: 0, onStored: [] }
    waiting.set(appId, queue)
    wake.ring()
    if (queue.lines.length >= MAX_WAITING_LINES || queue.bytes + text.length > MAX_WAITING_BYTES) {
      queue.dropped += dropped > 0 ? dropped : 1
      return
    }
    addDropped(queue, clock.now())
    const clean = cleanLine(text)
    const found = source === 'system' ? level : (statedLevel(clean) ?? level)
    queue.bytes += clean.length
    const now = clock.now()
    const writtenAt = at === undefined ? now : timeOfLine(at, now)
    queue.lines.push({ deployId, at: writtenAt, level: levelNumber(found), source, text: clean, dropped })
  }

  const flush = async (appId: string, queue: Waiting): Promise<void> => {
    addDropped(queue, clock.now())
    const batch = queue.lines.slice(0, BATCH_LINES)
    if (batch.length === 0) return
    await db.tx((tx) => appendLines(tx, appId, batch))
    queue.lines.splice(0, batch.length)
    queue.bytes -= batch.reduce((sum, { text }) => sum + text.length, 0)
    if (queue.lines.length > 0 || queue.dropped > 0) return
    waiting.delete(appId)
    for (const resolve of queue.onStored) resolve()
  }

  const flushAll = async (): Promise<void> => {
    for (const [appId, queue] of waiting) await flush(appId, queue)
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await wake.next()
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      try {
        while (waiting.size > 0 && !stopping.signal.aborted) await flushAll()
      } catch (error) {
        onError(error)
        if (!stopping.signal.aborted) await wake.next(RETRY_MS)
        wake.ring()
      }
    }
  }

  const stored = async (appId: string): Promise<void> => {
    const queue = waiting.get(appId)
    if (!queue) return
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.onStored.push(resolve)
    const timer = setTimeout(resolve, STORED_WITHIN_MS)
    await promise
    clearTimeout(timer)
  }

  const running = run()
  return {
    write,
    stored,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      wake.ring()
      await running
      try {
        while (waiting.size > 0) await flushAll()
      } catch (error) {
        onError(error)
      }
    },
  }
}

/** Puts the number of dropped lines where they are missing, so that whoever finds a later line finds it too. */
function addDropped(queue: Waiting, at: Date): void {
  const { dropped } = queue
  if (dropped === 0) return
  const text = `${dropped} lines were dropped here, because they came faster than they could be stored.`
  queue.lines.push({ deployId: null, at, level: levelNumber('warn'), source: 'system', text, dropped })
  queue.bytes += text.length
  queue.dropped = 0
}
