import { join } from 'node:path'
import { type Asked, request } from './ask-load.ts'
import { statementOf } from './ask-peers.ts'
import { type Server, start } from './ask-processes.ts'
import type { Source } from './ask-source.ts'

const MAIN = join(import.meta.dirname, 'ask-bare-server.ts')

/** What this machine takes for a question however little is done around it: what is ours stands on top of that. */
export function startBare(source: Source): Promise<Server> {
  return start(process.execPath, [MAIN, source.rawUrl, statementOf(source)], /bare at (\S+)/)
}

export function bareAsked(url: string, questions: readonly string[]): Asked {
  const all = questions.map((vector) => request(`${url}/`, {}, JSON.stringify({ vector })))
  let asked = 0
  return { url, next: () => all[asked++ % all.length]! }
}
