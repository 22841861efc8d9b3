import { once } from 'node:events'
import type { Environment } from '../../../src/server/config/reader.ts'
import { startProcess } from '../programs/processes.ts'
import { seeded } from '../seeded.ts'
import { until } from '../until.ts'

type KillReport = { rounds: number; acknowledged: number; lost: string[]; slowest_restart_ms: number }

type Options = { env: Environment; operatorToken: string; rounds: number; seed: number }

const MAX_WRITES_PER_ROUND = 150
const WRITERS = 4

/**
 * Writes organizations over HTTP and kills the server after a random number of them, while others are being written.
 * Then looks for every id that was answered 201: an organization that exists takes a token, a lost one answers 404.
 */
export async function killRounds({ env, operatorToken, rounds, seed }: Options): Promise<KillReport> {
  const random = seeded(seed)
  const acknowledged: string[] = []
  let slowest = 0
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    const server = await startProcess(env)
    slowest = Math.max(slowest, performance.now() - started)
    let left = 1 + Math.floor(random() * MAX_WRITES_PER_ROUND)
    const onWritten = (id: string) => {
      acknowledged.push(id)
      left -= 1
      if (left === 0) server.child.kill('SIGKILL')
    }
    const exited = once(server.child, 'exit')
    const writers = Array.from({ length: WRITERS }, () => write(server.url, operatorToken, onWritten))
    await exited
    await Promise.all(writers)
  }
  await using server = await startProcess(env)
  const lost: string[] = []
  for (const id of acknowledged) if (!(await exists(server.url, operatorToken, id))) lost.push(id)
  return { rounds, acknowledged: acknowledged.length, lost, slowest_restart_ms: Math.round(slowest) }
}

/** Writes until the server is gone. */
async function write(url: string, operatorToken: string, onWritten: (id: string) => void): Promise<void> {
  for (;;) {
    try {
      const response = await send(`${url}/api/v1/admin/orgs`, operatorToken, { name: 'Round' })
      const { id } = (await response.json()) as { id: string }
      if (response.status === 201) onWritten(id)
    } catch {
      return
    }
  }
}

/** A server that is too busy answers 503, which says nothing about the organization: it is asked again. */
async function exists(url: string, operatorToken: string, orgId: string): Promise<boolean> {
  const body = { org_id: orgId, email: 'reader@example.com', role: 'viewer', name: 'reader' }
  const { status } = await until(async () => {
    const response = await send(`${url}/api/v1/admin/tokens`, operatorToken, body)
    return response.status !== 503 && response
  })
  if (status !== 201 && status !== 404) throw new Error(`a token for ${orgId} was answered with ${status}`)
  return status === 201
}

function send(url: string, token: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
