import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { createClient } from '#contract/core/client.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { smtpRefusal, startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { startProcess } from '#test/programs/processes.ts'
import { svcServer } from '#test/programs/svc-server.ts'
import { stores } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'

/** Real processes on one store, embedded or Postgres. */
describe('NO-07 svc-server park-deliveries', () => {
  let database: TestDatabase | undefined
  let dataDir: string
  let env: Environment
  let mail: TestMailServer
  let refused = 0

  beforeAll(async () => {
    mail = await startMailServer({
      onRcptTo: (_, __, done) => {
        refused += 1
        done(smtpRefusal(451, 'later'))
      },
    })
    dataDir = mkdtempSync(join(tmpdir(), 'svc-park-'))
    database = stores.postgres ? await openTestDatabase() : undefined
    env = {
      ...testEnvironment(database?.url, dataDir),
      SVC_EXAMPLE: 'false',
      SVC_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`,
      SVC_MAIL_FROM: 'svc@example.com',
    }
  })
  afterAll(async () => {
    await mail?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const park = async (...args: string[]) => {
    const ended = await svcServer(env, 'park-deliveries', ...args)
    expect(ended.exit).toBe(0)
    return ended.stdout
  }

  it('counts what waits, and parks it only when that is confirmed', async () => {
    const server = await startProcess(env)
    const client = (token: string) =>
      createClient({ baseUrl: server.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
    const operator = client(env.SVC_OPERATOR_TOKEN!)
    const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Restored' })
    const owner = { org_id, email: 'owner@example.com', role: 'owner', name: 'test' } as const
    const { token } = await operator.call(adminCreateToken, owner)
    await client(token).call(createInvitation, { org_id, email: 'mara@example.org', role: 'viewer' })
    await until(async () => refused > 0)
    await server[Symbol.asyncDispose]()

    const counts = [
      '  messages that wait or were being sent: 1',
      '  notifications that are in no message yet: 0',
      '  events that are not matched to subscriptions yet: 0',
    ]
    const dry = [
      'Would be parked:',
      ...counts,
      'Nothing was changed. Stop all servers, then run svc-server park-deliveries --confirm.',
      '',
    ]
    expect((await park()).split('\n')).toEqual(dry)
    expect((await park()).split('\n')).toEqual(dry)
    expect((await park('--confirm')).split('\n')).toEqual([
      'Parked:',
      ...counts,
      'Nothing of this is sent by itself. Admins see it in the ledger as parked_after_restore and can resend it.',
      '',
    ])
    expect(await park()).toContain('messages that wait or were being sent: 0')
  })

  it('refuses --confirm with other commands', async () => {
    expect(await svcServer(env, 'migrate', '--confirm')).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('svc-server migrate has no option --confirm.'),
    })
  })
})
