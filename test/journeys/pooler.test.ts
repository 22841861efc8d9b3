import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#test/database.ts'
import { startPgbouncer } from '#test/databases/pgbouncer.ts'
import { startProcess, untilReady } from '#test/programs/processes.ts'
import { needs, needsPrograms } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'

needsPrograms('pgbouncer')('OP-02 a process whose DATABASE_URL leads to PgBouncer in transaction mode', () => {
  needs('postgres', 'redis')('on a server', () => {
    it('starts with the direct address, and warns if its role has no time limit; without it says what to set', async () => {
      await using stack = new AsyncDisposableStack()
      const database = stack.use(await openTestDatabase())
      const pooler = stack.use(await startPgbouncer(database.url!))
      const dataDir = mkdtempSync(join(tmpdir(), 'svc-pooler-'))
      stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
      const env = testEnvironment(pooler.url, dataDir)
      const [server, refusal] = await Promise.all([
        startProcess({ ...env, DATABASE_DIRECT_URL: database.url }),
        startProcess(env).catch((error: unknown) => String(error)),
      ])
      stack.use(server)
      await untilReady(server)
      expect(server.output.join('\n')).toContain("Run: alter role postgres set statement_timeout = '10s';")
      expect(refusal).toContain(
        'svc cannot start: A connection pooler such as PgBouncer stands before Postgres. Set DATABASE_DIRECT_URL',
      )
    })
  })
})
