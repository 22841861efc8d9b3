import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import type { FirstRun } from '../../../src/server/process/first-start/first-run.ts'
import { startFakeChat } from '../outside/fake-chat.ts'
import { startProcess } from './processes.ts'

/** Longer than the limits of a minute that proxies, clients and servers usually have. */
const SILENCE_MS = 65_000

/**
 * Calls a model that is silent for more than a minute before its status and again in the middle of its answer, with and
 * without a stream. Returns the answers, which must both be whole. `folder` is the data folder of a server that ran once.
 */
export async function longCalls(folder: string): Promise<string[]> {
  await using fake = await startFakeChat()
  const env = { PORT: '0', SVC_DATA_DIR: folder, SVC_EXAMPLE: 'false' }
  await using server = await startProcess({ ...env, SVC_AI_PROVIDERS: JSON.stringify([fake.provider('slow')]) })
  const token = await memberToken(server.url, folder)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (stream: boolean) => {
    fake.next.push({ begin: wait(SILENCE_MS), pause: wait(2 * SILENCE_MS) })
    const messages = [{ role: 'user', content: 'hello' }]
    const body = JSON.stringify({ model: 'slow/m', messages, stream })
    const response = await fetch(`${server.url}/api/ai/v1/chat/completions`, { method: 'POST', headers, body })
    return textOf(await response.text(), stream)
  }
  // Awaited here, because the server ends with this function.
  return await Promise.all([ask(false), ask(true)])
}

async function memberToken(url: string, folder: string): Promise<string> {
  const { operator_token } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as FirstRun
  const operator = createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${operator_token}` }) })
  const { id } = await operator.call(adminCreateOrg, { name: 'Long calls' })
  const member = { org_id: id, email: 'long@example.com', role: 'viewer', name: 'long calls' } as const
  return (await operator.call(adminCreateToken, member)).token
}

type Choice = { message?: { content: string }; delta?: { content?: string } }

function textOf(body: string, isStream: boolean): string {
  const parts = isStream ? [...body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data!) : [body]
  const choices = parts.flatMap((part) => (JSON.parse(part) as { choices?: Choice[] }).choices ?? [])
  return choices.map(({ message, delta }) => message?.content ?? delta?.content ?? '').join('')
}
