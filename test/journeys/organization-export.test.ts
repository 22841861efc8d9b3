import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { changeEnvironment } from '#contract/apps/environment.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { createToken } from '#contract/auth/tokens.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { dropDatabase, readConnection } from '#contract/databases.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { fileTicket, replyToTicket } from '#contract/tickets.ts'
import { sql } from '#lib/db/sql.ts'
import { makeLiveApp } from '#test/apps/live-app.ts'
import { startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

const folder = mkdtempSync(join(tmpdir(), 'svc-export-test-'))
const file = join(folder, 'acme.tar')
const unpacked = mkdtempSync(join(folder, 'unpacked-'))
const SECRETS = { environment: 'env-value-canary', webhook: 'webhook-path-canary' }

const stack = new AsyncDisposableStack()
let system: System
let owner: Person
let revisionId: string
const secrets: string[] = Object.values(SECRETS)

beforeAll(async () => {
  const fake = stack.use(await startFakeEmbeddings())
  system = stack.use(await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } }))
  owner = await system.member('owner')
  const client = system.client(owner.token)
  await system.member('developer', owner.org_id)
  const invited = await client.call(createInvitation, {
    org_id: owner.org_id,
    email: 'ada@example.com',
    role: 'viewer',
  })
  const token = await client.call(createToken, { name: 'for ci' })
  await makeAskable(client, 'handbook')
  await client.call(querySource, { id: 'db_handbook', query: 'sick' })
  const { connection_string } = await client.call(readConnection, { name: 'handbook' })
  const app = await makeLiveApp(system, owner, { alias: 'shop', files: { 'server.js': 'listen()', 'a/b.txt': 'deep' } })
  revisionId = app.revisionId
  await client.call(changeEnvironment, { alias: 'shop', set: { KEY: SECRETS.environment } })
  const definition = { kind: 'http' as const, target: '/up' }
  await client.call(createCheck, { alias: 'shop', name: 'Up', definition, schedule: { cron: '0 0 1 1 *' } })
  const ticket = await client.call(fileTicket, { alias: 'shop', title: 'Shoes are missing', body: 'All of them.' })
  await client.call(replyToTicket, { alias: 'shop', ticket_id: ticket.id, body: 'Found them.' })
  const lines = new Blob(['{"text":"a line of the shop"}\n']).stream()
  await client.upload(ingestLogs, { alias: 'shop' }, lines, { contentType: 'application/x-ndjson' })
  await client.call(createWebhook, { url: `https://93.184.215.14/${SECRETS.webhook}`, name: 'the hook' })
  await client.call(addEmail, { address: 'ops@example.com' })
  secrets.push(invited.token, token.token, owner.token, new URL(connection_string).password)
  await until(
    async () => (await system.db.query(sql`select from activity.records where status is not null`)).length > 0,
  )
})
afterAll(async () => {
  await system
    ?.client(owner.token)
    .call(dropDatabase, { name: 'handbook', confirm: 'handbook' })
    .catch(() => undefined)
  await stack.disposeAsync()
  rmSync(folder, { recursive: true, force: true })
})

const svc = (args: string[], person = owner) =>
  runSvc(args, { env: { SVC_API_URL: system.url, SVC_API_KEY: person.token } })
const text = (name: string) => readFileSync(join(unpacked, name), 'utf8')
const json = (name: string) => JSON.parse(text(name))
const lines = (name: string) =>
  text(name)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('OP-08 svc org export', () => {
  it('saves everything of the organization in one archive that tar unpacks', async () => {
    const { exit, stdout, stderr } = await svc(['org', 'export', file])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toMatch(/^Exported .+ to .+acme\.tar: 39 files, \d+\.\d MiB\.\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
    execFileSync('tar', ['-xf', file, '-C', unpacked])
    expect(json('organization.json')).toMatchObject({ id: owner.org_id })
    expect(lines('people.ndjson').map(({ role }) => role)).toEqual(['developer', 'owner'])
    expect(lines('invitations.ndjson')).toMatchObject([{ email: 'ada@example.com', role: 'viewer' }])
    expect(lines('tokens.ndjson').map(({ name }) => name)).toContain('for ci')
    expect(lines('tokens.ndjson')).toHaveLength(3)
    expect(lines('audit.ndjson').map(({ action }) => action)).toContain('database.connection_read')
    expect(lines('activity.ndjson')).toMatchObject([{ type: 'data_sources', target: 'db_handbook', status: 200 }])
    expect(json('data-sources/db_handbook.json')).toMatchObject({
      connection_config: { embedding_configs: [{ table: 'articles', model: 'fake/fake-small' }] },
    })
    expect(json('notifications/channels.json').items).toHaveLength(2)
    expect(lines('notifications/deliveries.ndjson').length).toBeGreaterThan(0)
    expect(lines('databases.ndjson')).toMatchObject([{ name: 'handbook', state: 'ready' }])
    expect(text('databases/handbook.sql')).toMatch(/Sick days[\s\S]+-- PostgreSQL database dump complete/)
  })

  it('has each app with its source, tickets, checks and logs', async () => {
    expect(json('apps/shop/app.json')).toMatchObject({ alias: 'shop', live_deploy: { revision_id: revisionId } })
    expect(json('apps/shop/environment.json').items).toMatchObject([{ name: 'KEY' }])
    expect(lines('apps/shop/checks.ndjson')).toMatchObject([{ name: 'Up' }])
    expect(lines('apps/shop/tickets.ndjson')).toMatchObject([{ title: 'Shoes are missing', body: 'All of them.' }])
    expect(lines('apps/shop/ticket-replies.ndjson')).toMatchObject([{ body: 'Found them.' }])
    expect(lines('apps/shop/logs.ndjson').map((line) => line.text)).toContain('a line of the shop')
    expect(lines('apps/shop/revisions.ndjson')).toMatchObject([{ id: revisionId, file_count: 2 }])
    const source = join(unpacked, 'apps/shop/revisions', `${revisionId}.tar`)
    expect(execFileSync('tar', ['-xOf', source, 'a/b.txt'], { encoding: 'utf8' })).toBe('deep')
  })

  it('the manifest has size, digest and number of records of each file, and what is not in it', () => {
    const manifest = json('manifest.json')
    expect(manifest).toMatchObject({
      format: 1,
      organization: { id: owner.org_id },
      exported_by: owner.user_id,
      failed: [],
    })
    expect(manifest.not_included).toHaveLength(6)
    for (const { file: name, bytes, sha256 } of manifest.files) {
      const content = readFileSync(join(unpacked, name))
      const digest = createHash('sha256').update(content).digest('hex')
      expect({ name, bytes: content.length, sha256: digest }).toEqual({ name, bytes, sha256 })
    }
    expect(manifest.files.find((entry: { file: string }) => entry.file === 'people.ndjson').records).toBe(2)
  })

  it('no secret is in the archive', () => {
    const archive = readFileSync(file, 'latin1')
    expect([...secrets, ...system.secrets].filter((secret) => archive.includes(secret))).toEqual([])
  })

  it('leaves an existing file as it is without --force', async () => {
    const taken = join(folder, 'taken.tar')
    writeFileSync(taken, 'mine')
    const { exit, stderr } = await svc(['org', 'export', taken])
    expect(exit).toBe(5)
    expect(stderr).toContain('exists already. Add --force to replace it.')
    expect(readFileSync(taken, 'utf8')).toBe('mine')
  })

  it.each(['viewer', 'member', 'developer', 'admin'] as const)('is refused to the role %s', async (role) => {
    const person = await system.member(role, owner.org_id)
    const { exit, stderr } = await svc(['org', 'export', join(folder, 'refused.tar')], person)
    expect(exit).toBe(3)
    expect(stderr).toContain(`Your role is ${role}.`)
    expect(readdirSync(folder)).not.toContain('refused.tar')
  })

  it('names a dump that was cut off, waits where it is asked to, and saves the rest', async () => {
    const refusals = [429, 503]
    const answerFor = async ({ url, headers }: IncomingMessage, response: ServerResponse) => {
      if (url!.endsWith('/dump')) {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        return response.end('{"sql":"create table t ();\\n","total_bytes":null}\n')
      }
      const refusal = url!.includes('/members') ? refusals.shift() : undefined
      if (refusal !== undefined) return response.writeHead(refusal, { 'retry-after': '0' }).end()
      const answer = await fetch(`${system.url}${url}`, { headers: { authorization: headers.authorization! } })
      const type = answer.headers.get('content-type') ?? ''
      return response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()))
    }
    const proxy = createServer((request, response) => void answerFor(request, response)).listen(0, '127.0.0.1')
    onTestFinished(() => void proxy.close())
    await once(proxy, 'listening')
    const env = {
      SVC_API_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      SVC_API_KEY: owner.token,
    }
    const partly = join(folder, 'partly.tar')
    const { exit, stderr, stdout } = await runSvc(['org', 'export', partly, '-o', 'json'], { env })
    const reason = 'The dump of handbook ended before it was complete. Try again.'
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: `Not exported: databases/handbook.sql: ${reason}\n` })
    expect(refusals).toEqual([])
    expect(JSON.parse(stdout).failed).toEqual([{ file: 'databases/handbook.sql', reason }])
    const names = execFileSync('tar', ['-tf', partly], { encoding: 'utf8' }).split('\n')
    expect(names).toContain('people.ndjson')
    expect(names).toContain('apps/shop/app.json')
    expect(names).not.toContain('databases/handbook.sql')
  })
})
