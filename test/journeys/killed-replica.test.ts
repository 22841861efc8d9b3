import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { callFunction } from '#contract/functions.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase } from '#test/database.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const WRITERS = 4
const WRITES = 20

needs('postgres', 'redis')('OP-02 a kill -9 of one of two replicas under requests', () => {
  it('loses no acknowledged write, doubles none, and either answers every request as if it were alone', async () => {
    await using stack = new AsyncDisposableStack()
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-replica-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const { db, url } = stack.use(await openTestDatabase())
    const env: Environment = {
      ...testEnvironment(url, dataDir),
      SVC_EXAMPLE: 'false',
      SVC_REDIRECT_BASE_URL: 'https://svc.test',
      SVC_SERVICES: 'api-gateway,auth-service,deploy-api,mcp-server',
    }
    const [doomed, survivor] = await Promise.all([startProcess(env), startProcess(env)])
    stack.use(doomed)
    stack.use(survivor)
    const clientOf = (process: ServerProcess): Client =>
      createClient({
        baseUrl: process.url,
        fetch,
        headers: () => ({ authorization: `Bearer ${env.SVC_OPERATOR_TOKEN}` }),
      })
    const [atDoomed, atSurvivor] = [clientOf(doomed), clientOf(survivor)]

    await expectNoState({ one: doomed, other: survivor, operator: atDoomed })

    const acknowledged: string[] = []
    const failures: { isSurvivor: boolean; error: unknown }[] = []
    const over = new AbortController()
    /** Sends every second request to each replica, as a load balancer would, and drops what failed. */
    const write = async (writer: number) => {
      for (let n = 0; !over.signal.aborted; n++) {
        const isSurvivor = n % 2 === 0
        const name = `Org ${writer}-${n}`
        try {
          await (isSurvivor ? atSurvivor : atDoomed).call(adminCreateOrg, { name })
          acknowledged.push(name)
        } catch (error) {
          failures.push({ isSurvivor, error })
        }
      }
    }
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    await until(() => acknowledged.length >= WRITES)
    doomed.child.kill('SIGKILL')
    await once(doomed.child, 'exit')
    const before = acknowledged.length
    await until(() => acknowledged.length >= before + WRITES && failures.length > 0)
    over.abort()
    await writing

    expect(failures.filter(({ isSurvivor }) => isSurvivor)).toEqual([])
    // A killed process answers nothing: its clients see a lost connection, and no error of the service.
    expect(failures.filter(({ error }) => error instanceof ServiceError)).toEqual([])
    const rows = await db.query<{ name: string }>(sql`select name from auth.orgs where name like 'Org %-%'`)
    const stored = rows.map(({ name }) => name)
    expect(acknowledged.filter((name) => !stored.includes(name))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
  })
})

type Replicas = { one: ServerProcess; other: ServerProcess; operator: Client }

/** Expects that each change at one replica holds at the other from the next request on. */
async function expectNoState({ one, other, operator }: Replicas): Promise<void> {
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Stateless' })
  const tokenInput = { org_id, email: 'ada@example.com', role: 'owner', name: 'first' } as const
  const { token } = await operator.call(adminCreateToken, tokenInput)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const clientAt = ({ url }: ServerProcess) => createClient({ baseUrl: url, fetch, headers: () => headers })
  const [atOne, atOther] = [clientAt(one), clientAt(other)]

  const create = (at: ServerProcess, alias: string) =>
    fetch(`${at.url}/api/deploy/deployments`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'create-shop' },
      body: JSON.stringify({ alias }),
    })
  const first = await (await create(one, 'shop')).json()
  const repeated = await create(other, 'shop')
  expect([repeated.status, await repeated.json()]).toEqual([201, first])
  expect(await (await create(other, 'another')).json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })

  const echo = { name: 'echo', description: 'Returns its input', input_schema: { type: 'object' as const } }
  await using worker = await connectRawWorker(atOne, 'shop', { functions: [echo] })
  const answer = atOther.call(callFunction, { alias: 'shop', name: 'echo', arguments: { from: 'the other' } })
  const { call_id, fence, input } = await worker.nextCall()
  await worker.report({ call_id, fence, output: input })
  expect(await answer).toEqual({ call_id, result: { from: 'the other' } })
}
