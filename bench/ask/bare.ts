import { join } from 'node:path'
import { type LoadTarget, request } from '../help/load.ts'
import { callsOf } from '../help/mcp.ts'
import { type Server, start } from '../help/processes.ts'
import type { Source } from '../help/source.ts'
import { statementOf } from './peers.ts'

const MAINS = { http: 'bare-server.ts', mcp: 'bare-mcp-server.ts' }

/** Starts a minimal server, whose cost is the lower bound for a question on this machine. */
export function startBare(source: Source, by: keyof typeof MAINS): Promise<Server> {
  const main = join(import.meta.dirname, MAINS[by])
  return start(process.execPath, [main, source.rawUrl, statementOf(source)], /bare at (\S+)/)
}

export function bareMcpAsked(url: string, questions: readonly string[]): LoadTarget {
  return callsOf(
    `${url}/mcp`,
    {},
    '2026-07-28',
    'search',
    questions.map((vector) => ({ vector })),
  )
}

export function bareAsked(url: string, questions: readonly string[]): LoadTarget {
  const all = questions.map((vector) => request(`${url}/`, {}, JSON.stringify({ vector })))
  let asked = 0
  return { url, next: () => all[asked++ % all.length]! }
}
