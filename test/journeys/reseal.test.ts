import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { changeEnvironment } from '#contract/apps/environment.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { keyId } from '#lib/crypto/seal.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { svcServer } from '#test/programs/svc-server.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { stores } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const [OLD, NEW] = ['0d'.repeat(32), '1e'.repeat(32)]
const [OLD_ID, NEW_ID] = [keyId(OLD), keyId(NEW)]

/** Real processes on one store, embedded or Postgres, through a whole change of the data key. */
describe('AU-08 changing the data key', () => {
  let database: TestDatabase | undefined
  let dataDir: string
  let base: Environment
  let server: ServerProcess | undefined
  let token: string
  const withKeys = (current: string, former = ''): Environment => ({
    ...base,
    SVC_EXAMPLE: 'false',
    SVC_DATA_KEY: current,
    SVC_DATA_KEYS_FORMER: former,
  })
  const client = (bearer: string, headers: Record<string, string> = {}) =>
    createClient({ baseUrl: server!.url, fetch, headers: () => ({ authorization: `Bearer ${bearer}`, ...headers }) })
  const start = async (env: Environment) => {
    server = await startProcess(env)
  }
  const stop = async () => {
    await server?.[Symbol.asyncDispose]()
    server = undefined
  }
  const newToken = (org_id: string) => {
    const input = { org_id, email: 'a@example.com', role: 'admin', name: 'test' } as const
    return client(base.SVC_OPERATOR_TOKEN!, { 'idempotency-key': 'first' }).call(adminCreateToken, input)
  }
  let orgId: string

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-reseal-'))
    database = stores.postgres ? await openTestDatabase() : undefined
    base = testEnvironment(database?.url, dataDir)
    await start(withKeys(OLD))
    orgId = (await client(base.SVC_OPERATOR_TOKEN!).call(adminCreateOrg, { name: 'Sealed' })).id
    token = (await newToken(orgId)).token
    await client(token).call(createDatabase, { name: 'vault' })
    await client(token).call(createApp, { alias: 'shop' })
    await client(token).call(changeEnvironment, { alias: 'shop', set: { API_KEY: 'secret', OTHER: 'secret' } })
  })
  afterAll(async () => {
    await stop()
    await database?.[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function everythingOpens(): Promise<void> {
    const { connection_string } = await client(token).call(readConnection, { name: 'vault' })
    expect(await runIn(connection_string, 'select 1 as one')).toEqual([{ one: 1 }])
    // The kept answer of the first request, which holds a token that is shown once.
    expect((await newToken(orgId)).token).toBe(token)
  }

  it('says in words what it takes, and refuses what it does not know with exit 5', async () => {
    const help = await svcServer({}, '--help')
    expect(help).toMatchObject({ exit: 0, stderr: '' })
    expect(help.stdout).toContain('svc-server reseal')
    expect(await svcServer({}, 'resael')).toMatchObject({ exit: 5, stdout: '' })
    expect(await svcServer({}, 'reseal', '--force')).toMatchObject({ exit: 5, stdout: '' })
    const nowhere = await svcServer({ SVC_DATA_DIR: join(dataDir, 'nowhere') }, 'reseal')
    expect(nowhere).toMatchObject({ exit: 4, stdout: '' })
    expect(nowhere.stderr).toContain(
      `There is no database in ${join(dataDir, 'nowhere')}. Set SVC_DATA_DIR to the data folder.`,
    )
  })

  it('a server with another key does not start, and names the variable and the key it lacks', async () => {
    await everythingOpens()
    await stop()
    const wrong = startProcess(withKeys(NEW))
    await expect(wrong).rejects.toThrow(`svc cannot start: Stored secrets are sealed under key ${OLD_ID}`)
    await expect(wrong).rejects.toThrow('Restore the former value of SVC_DATA_KEY')
    const refused = await svcServer(withKeys(NEW), 'reseal')
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    expect(refused.stderr).toContain(`sealed under key ${OLD_ID}`)
  })

  it('a server with the new key and the former one opens everything', async () => {
    await start(withKeys(NEW, OLD))
    await everythingOpens()
  })

  // On a server this cannot be asked: there reseal runs beside it.
  const onEmbedded = stores.postgres ? () => {} : it
  onEmbedded('on the embedded database reseal asks to stop the server first, with exit 6', async () => {
    const busy = await svcServer(withKeys(NEW, OLD), 'reseal')
    expect(busy).toMatchObject({ exit: 6, stdout: '' })
    expect(busy.stderr).toContain(`is in use by process ${server!.child.pid}`)
    expect(busy.stderr).toContain('Stop the server first.')
  })

  it('reseal moves everything to the new key and says which keys are no longer needed', async () => {
    if (!stores.postgres) await stop()
    const done = await svcServer(withKeys(NEW, OLD), 'reseal')
    expect(done).toMatchObject({ exit: 0, stderr: '' })
    expect(done.stdout).toBe(
      [
        `Sealing under key ${NEW_ID}:`,
        '  owner passwords of managed databases       1 moved, 0 already current',
        '  reader passwords of managed databases      1 moved, 0 already current',
        '  verifiers of sign-ins under way            0 moved, 0 already current',
        '  pages that sign-ins under way return to    0 moved, 0 already current',
        '  pages that mailed sign-in links return to  0 moved, 0 already current',
        '  answers kept for repeated requests         1 moved, 0 already current',
        '  secrets of notification channels           0 moved, 0 already current',
        '  tokens of chat installations               0 moved, 0 already current',
        '  signing secrets of webhooks                0 moved, 0 already current',
        '  unsubscribe links                          0 moved, 0 already current',
        '  unsubscribe links of follows               0 moved, 0 already current',
        '  mails that wait to be sent                 0 moved, 0 already current',
        '  mails of the local mailbox                 0 moved, 0 already current',
        '  environment variables of apps              2 moved, 0 already current',
        '  arguments of calls                         0 moved, 0 already current',
        '  results of calls                           0 moved, 0 already current',
        `Every stored secret is sealed under key ${NEW_ID}.`,
        `No longer needed: ${OLD_ID}. Remove them from SVC_DATA_KEYS_FORMER and restart the server.`,
        '',
      ].join('\n'),
    )
    if (stores.postgres) await everythingOpens()
    const again = await svcServer(withKeys(NEW, OLD), 'reseal')
    expect(again.stdout).toMatch(/owner passwords of managed databases +0 moved, 1 already current/)
  })

  it('afterwards the new key alone opens everything, and the former one nothing', async () => {
    await stop()
    await start(withKeys(NEW))
    await everythingOpens()
    await stop()
    await expect(startProcess(withKeys(OLD))).rejects.toThrow(`sealed under key ${NEW_ID}, which is not configured`)
  })
})
