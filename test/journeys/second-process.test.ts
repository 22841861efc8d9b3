import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#test/database.ts'
import { startProcess } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'

needs('postgres', 'redis')('OP-02 a second process on the Postgres of a process without Redis', () => {
  it('refuses to start and says what to do, with Redis and without', async () => {
    await using stack = new AsyncDisposableStack()
    const database = stack.use(await openTestDatabase())
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-second-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const { REDIS_URL, ...env } = testEnvironment(database.url, dataDir)
    stack.use(await startProcess(env))
    const refusalOf = async (more: object) => String(await startProcess({ ...env, ...more }).catch((error) => error))
    const [without, withRedis] = await Promise.all([refusalOf({}), refusalOf({ REDIS_URL })])
    expect(without).toMatch(
      /svc cannot start: Another process of svc uses this database: it is connected from 127\.0\.0\.1 since [-\d]+ [:\d]+ UTC\. Without REDIS_URL one process must be alone, because it counts limits and remembers one-time ids in its own memory\. Set the same REDIS_URL for all processes, or stop the other one\.$/m,
    )
    expect(withRedis).toMatch(
      /svc cannot start: A process of svc without REDIS_URL uses this database: .* Stop it, or start it again with the REDIS_URL of this process\.$/m,
    )
  })
})
