import type { Readable } from 'node:stream'
import { readLines } from './output-lines.ts'

/** Why everything of an app or a build has ended. `code` is null if a signal, a limit or svc ended it. */
export type ProcessEnd = { readonly code: number | null; readonly description: string }

/** Reads what our script reports. An app can write there too, so nothing of it is believed beyond the app itself. */
export function readStatus(stream: Readable): { ready: Promise<void>; exit: () => ProcessEnd | undefined } {
  const ready = Promise.withResolvers<void>()
  let end: ProcessEnd | undefined
  void readLines(stream, (line) => {
    const status = parse(line)
    if (status.ready === true) ready.resolve()
    else if (typeof status.failed === 'string') {
      const reason = status.failed.slice(0, 500)
      ready.reject(new Error(reason))
      end ??= { code: null, description: `it could not be run: ${reason}` }
    }
    if (status.exit !== undefined) end ??= describe(status.exit)
  })
  return { ready: ready.promise, exit: () => end }
}

/** A status that was not checked yet. */
type Unchecked = { readonly [name in 'ready' | 'failed' | 'exit']?: unknown }

function parse(line: string): Unchecked {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function describe(exit: unknown): ProcessEnd {
  const { code, signal } = typeof exit === 'object' && exit !== null ? (exit as Record<string, unknown>) : {}
  if (typeof code === 'number') return { code, description: `exit code ${code}` }
  return { code: null, description: `signal ${String(signal).slice(0, 20)}` }
}
