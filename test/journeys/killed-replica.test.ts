import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adminCreateOrg } from '#contract/auth/auth.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase } from '#test/database.ts'
import { type ServerProcess, startProcess } from '#test/processes.ts'
import { needs } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const WRITERS = 4
const WRITES = 20

needs('postgres', 'redis')('OP-02 a kill -9 of one of two replicas under requests', () => {
  it('loses no acknowledged write, doubles none, and the other answers every request', async () => {
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
