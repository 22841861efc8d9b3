import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { authKeys, chooseFirstAccount, createAuth, makeFirstAccount } from '../../src/server/areas/auth/index.ts'
import { readSettings, toConfig } from '../../src/server/config/config.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { startServices } from '../../src/server/process/start.ts'

/**
 * The measured process: the auth service, its validation as a function, the bare statement under both, and a bare
 * node:http server that takes and answers the same bytes.
 */
type Message = { way: 'cpu' } | { way: 'statement' | 'in process'; calls: number; concurrency: number }

const url = process.argv[2]
const key = 'ab'.repeat(32)
const secrets = { jwtSecret: key, jwtSigningKey: key, dataKeys: [key] as const, internalSecret: key }
const config = toConfig(readSettings({ PORT: '0' }), secrets)
const db = url ? openPostgres({ url, onError: console.error }) : await openEmbedded({ onError: console.error })
await migrate(db, allMigrations())
const stack = new AsyncDisposableStack()
const resources = await openResources(config, stack, { db })
const publicUrls = { signIn: 'http://127.0.0.1' }
const noMails = { queue: async () => false, cancel: async () => {}, outcomes: async () => new Map() }
const auth = createAuth({ ...resources, ...secrets, onRevoked: () => {}, mails: noMails, publicUrls })
const account = chooseFirstAccount()
const keys = authKeys(key, key)
await makeFirstAccount({ ...resources, keys }, account)
const running = await startServices(resources, stack, { ...config, services: ['auth-service'], urlOf: () => undefined })

const hash = keys.hash('api_token', account.api_key)
const WAYS = {
  statement: () =>
    db.query(sql`
      select t.id, t.org_id, t.user_id, m.role, t.expires_at
      from auth.api_tokens t join auth.memberships m using (org_id, user_id)
      where t.hash = ${hash} and t.epoch = ${keys.epoch} and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > ${new Date()})`),
  'in process': () => auth.validate(account.api_key, 'api-gateway', '127.0.0.1'),
}

process.send!({ url: running.url, bareUrl: await startBare(), token: account.api_key })
process.on('message', (message: Message) => void answer(message).then((value) => process.send!(value)))
process.on('disconnect', () => process.exit(0))

async function startBare(): Promise<string> {
  const principal = await auth.validate(account.api_key, 'api-gateway', '127.0.0.1')
  const body = JSON.stringify({ principal })
  const server = createServer((request, response) => {
    request
      .on('data', () => {})
      .on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        response.end(body)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function answer(message: Message): Promise<unknown> {
  if (message.way === 'cpu') return cpu()
  const run = WAYS[message.way]
  let left = message.calls
  const before = cpu()
  const started = performance.now()
  const client = async () => {
    while (left-- > 0) await run()
  }
  await Promise.all(Array.from({ length: message.concurrency }, client))
  const seconds = (performance.now() - started) / 1000
  return { perSecond: message.calls / seconds, cpuMicros: (cpu() - before) / message.calls }
}

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
