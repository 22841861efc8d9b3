import { workerEntry } from '#lib/files/bundle.ts'
import { startWorker, WorkerStopped } from '#lib/threads/worker-host.ts'
import { hasParser } from './has-parser.ts'
import type { ParseMessage } from './parse-worker.ts'

/** `before` is undefined for a file that the change adds. */
type ChangedFile = { readonly path: string; readonly before: string | undefined; readonly after: string }

export type ParseResult =
  | { readonly type: 'parsed' }
  /** The file was not judged. The sentence says why. */
  | { readonly type: 'not_parsed'; readonly note: string }
  | { readonly type: 'fault'; readonly reason: string }

const MAX_PARSED_CHARS = 512 * 1024
const MAX_PARSE_MS = 5_000
/** Loading the parsers takes long on a busy machine, and is no fault of the file. */
const MAX_START_MS = 60_000
const MAX_HEAP_MB = 192
const MAX_SHOWN = 200

/**
 * Checks that a changed file still parses. A file that did not parse before either is not judged: it may be of a kind
 * that our parser does not know. Each file gets a thread of its own that is ended when it takes too long or too much
 * memory, because the text is whatever a tenant uploaded and a model wrote.
 */
export async function parseChange({ path, before, after }: ChangedFile, limitMs = MAX_PARSE_MS): Promise<ParseResult> {
  if (!hasParser(path)) return notParsed(path, 'svc has no parser for this kind of file')
  if (Math.max(before?.length ?? 0, after.length) > MAX_PARSED_CHARS) return notParsed(path, 'it is too large')
  await using thread = startWorker(
    workerEntry('src/server/areas/maintenance/proposals/validate/parse-worker.ts'),
    undefined,
    {
      maxOldGenerationSizeMb: MAX_HEAP_MB,
    },
  )
  await thread.ask({ path: 'start.json', text: '{}' } satisfies ParseMessage, { limitMs: MAX_START_MS })
  const faultOf = (text: string) =>
    thread.ask<string | null>({ path, text } satisfies ParseMessage, { limitMs }).catch((error: unknown) => {
      if (error instanceof WorkerStopped) return 'it takes too long or too much memory'
      throw error
    })
  const isParsable = before === undefined || (await faultOf(before)) === null
  if (!isParsable) return notParsed(path, 'it did not parse before the change either')
  const fault = await faultOf(after)
  return fault === null ? { type: 'parsed' } : { type: 'fault', reason: `${path} does not parse: ${shorten(fault)}` }
}

function notParsed(path: string, why: string): ParseResult {
  return { type: 'not_parsed', note: `${path} was not parsed: ${why}.` }
}

function shorten(text: string): string {
  return text.slice(0, MAX_SHOWN).replace(/\p{Cc}+/gu, ' ')
}
