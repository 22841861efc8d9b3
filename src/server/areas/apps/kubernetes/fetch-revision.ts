import { readFile, rm } from 'node:fs/promises'
import { fetchRevision as fetchOperation } from '#contract/apps/revisions.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { messageOf } from '#lib/message-of.ts'
import { writeSource } from '../process/build/write-source.ts'
import { readArchive } from '../revisions/read-archive.ts'

type FetchRevisionOptions = {
  readonly apiUrl: string
  readonly revisionId: string
  readonly tokenFile: string
  /** Replaced if it exists, because an init container may run again after it failed half-way. */
  readonly folder: string
  readonly send: (request: Request) => Promise<Response>
  readonly delay: (ms: number) => Promise<unknown>
  readonly print: (line: string) => void
}

/** Waits between attempts while svc does not answer, such as during its upgrade. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const

/**
 * Writes the files of a revision into a folder. It runs in the pod of an app, before the app, and proves with the
 * projected token of the pod which app it is.
 */
export async function fetchRevision(options: FetchRevisionOptions): Promise<void> {
  const { folder, print, revisionId } = options
  for (const waitMs of [...RETRY_MS, undefined]) {
    try {
      await rm(folder, { recursive: true, force: true })
      const files = readArchive({ bytes: await download(options), isGzip: false }, () => undefined)
      const count = await writeSource(folder, files, undefined, new AbortController().signal)
      print(`Fetched ${count} files of revision ${revisionId}.`)
      return
    } catch (error) {
      if (waitMs === undefined || isFinal(error)) throw error
      print(`The revision could not be fetched (${messageOf(error)}). Trying again in ${waitMs / 1000} seconds.`)
      await options.delay(waitMs)
    }
  }
}

async function download(options: FetchRevisionOptions): Promise<ReadableStream<Uint8Array>> {
  const { apiUrl, revisionId, tokenFile, send } = options
  const token = (await readFile(tokenFile, 'utf8')).trim()
  const path = fetchOperation.path.replace('{revision_id}', encodeURIComponent(revisionId))
  const response = await send(
    new Request(`${apiUrl.replace(/\/$/, '')}${path}`, { headers: { authorization: `Bearer ${token}` } }),
  )
  if (response.ok && response.body) return response.body
  const detail = await response.text()
  throw new ServiceError(refusalOf(response.status), `svc answered ${response.status}: ${detail.slice(0, 500)}`)
}

/** An answer that says "not you" or "not this" will not change by itself. */
function refusalOf(status: number): 'NOT_FOUND' | 'FORBIDDEN' | 'INVALID_TOKEN' | 'UNAVAILABLE' {
  if (status === 404) return 'NOT_FOUND'
  if (status === 403) return 'FORBIDDEN'
  return status === 401 ? 'INVALID_TOKEN' : 'UNAVAILABLE'
}

function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && ['NOT_FOUND', 'FORBIDDEN', 'INVALID_TOKEN'].includes(error.code)
}
