import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Place } from '../place.ts'
import { askExample } from './ask-example.ts'
import type { Computer } from './computer.ts'

/** On a desktop mcp-remote asks the machine for its browser, and without one it takes the variable BROWSER. */
export const REMOTE_ENV: Record<string, string> = { DISPLAY: '' }

/** The client gives up after a minute, which a busy machine may need to start the program. */
const MAX_START_MS = 5 * 60_000

type Options = { place: Place; url: string; options?: readonly string[] }

/** A computer on which a program starts `mcp-remote` and talks to it over its standard input. */
export function remoteComputer({ place, url, options = [] }: Options): Computer {
  const open = async () => {
    const client = new Client({ name: 'desk', version: '1.0.0' })
    const { env, cwd } = place
    await client.connect(
      new StdioClientTransport({ command: 'mcp-remote', args: [url, ...options], env, cwd, stderr: 'ignore' }),
      { timeout: MAX_START_MS },
    )
    return client
  }
  const session = async (times: number, before: (question: number) => Promise<void>) => {
    const results: string[] = []
    const client = await open()
    try {
      for (let question = 0; question < times; question += 1) {
        if (question > 0) await before(question)
        results.push(await askExample(client))
      }
    } finally {
      await client.close()
    }
    return results
  }
  return {
    logins: place.logins,
    opensInVain: place.opensInVain,
    login: async () => void (await place.attended(session(1, async () => {}))),
    ask: (times = 1, before = async () => {}) =>
      place.attended(session(times, before).catch((error: unknown) => [`no session: ${String(error)}`])),
  }
}
