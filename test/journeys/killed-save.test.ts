import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { openTestDatabase } from '#test/database.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { entry, makeSource } from '#test/sources/configured-source.ts'
import { stores } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const TABLE = `create table articles (id int primary key, title text, embedding vector(384))`

async function adminToken(server: ServerProcess, env: Environment): Promise<string> {
  const headers = () => ({ authorization: `Bearer ${env.SVC_OPERATOR_TOKEN}` })
  const operator = createClient({ baseUrl: server.url, fetch, headers })
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Saves' })
  const asked = { org_id, email: 'admin@example.com', role: 'admin' as const, name: 'test' }
  return (await operator.call(adminCreateToken, asked)).token
}

function save({ url }: ServerProcess, token: string): Promise<Response> {
  return fetch(`${url}/api/wf/data-sources/db_library`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ connection_config: { embedding_configs: [entry({})] } }),
  })
}

describe('DS-05 a save whose process is killed', () => {
  it('keeps others out while it lives, with Retry-After, and nobody after its death', async () => {
    await using stack = new AsyncDisposableStack()
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-killed-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const database = stores.postgres ? stack.use(await openTestDatabase()) : undefined
    const env = { ...testEnvironment(database?.url, dataDir), SVC_EXAMPLE: 'false' }
    const first = stack.use(await startProcess(env))
    const token = await adminToken(first, env)
    const headers = () => ({ authorization: `Bearer ${token}` })
    const { connection_string } = await makeSource(
      createClient({ baseUrl: first.url, fetch, headers }),
      'library',
      TABLE,
    )

    // Its owner keeps the table locked, so that a save waits at it.
    const owner = stack.use(await connectTo(connection_string))
    await owner.query('begin; lock table articles in access exclusive mode')
    const saves = [save(first, token), save(first, token)]
    for (const one of saves) one.catch(() => undefined)
    const refused = await Promise.race(saves)
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'CONFLICT' }])
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(15)

    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    await owner.end().catch(() => undefined)
    const second = stack.use(await startProcess(env))
    // The engine of the database may take long to start on a busy machine.
    const saved = await until(async () => {
      const answer = await save(second, token)
      return answer.status !== 503 && answer
    })
    expect([saved.status, await saved.json()]).toMatchObject([200, { filter_schema: {} }])
  })
})
