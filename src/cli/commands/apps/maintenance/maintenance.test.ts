import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { rootFolder } from '#lib/files/bundle.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const LAUNCHER = join(rootFolder, 'bin', 'svc.js')

type Person = Awaited<ReturnType<System['member']>>

let system: System
let admin: Person
beforeAll(async () => {
  system = await startSystem()
  admin = await system.member('admin')
  await api().call(createApp, { alias: 'shop' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const api = () => system.client(admin.token)
const svc = (args: string[], as = admin) =>
  runSvc(['apps', 'maintenance', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token } })
const lines = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))

describe('MA-12 svc apps maintenance', () => {
  it('exits with 4 while the organization has it off', async () => {
    expect(await svc(['status', 'shop'])).toMatchObject({ exit: 4 })
    expect(await svc(['enable', 'shop', '--yes'])).toMatchObject({ exit: 4 })
    expect(await svc(['run', 'shop'])).toMatchObject({ exit: 4 })
    expect(await svc(['runs', 'shop'])).toMatchObject({ exit: 0, stdout: '' })
  })

  it('exits with 6 while the app has it off, and tells how to switch it on', async () => {
    const change = { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' }
    await api().call(changeOrgMaintenance, change)
    const refused = await svc(['run', 'shop'])
    expect([refused.exit, refused.stderr]).toEqual([
      6,
      expect.stringContaining('svc apps maintenance enable shop --yes'),
    ])
    expect(await svc(['enable', 'shop', '--yes'])).toMatchObject({
      exit: 0,
      stdout: 'The maintenance agent is on for shop.\n',
      stderr: expect.stringContaining(
        'You are not told of proposals for shop: no channel is subscribed to them, and you do not follow them. Follow them: svc notifications follows set shop --category maintenance\n',
      ),
    })
    await api().call(setFollow, { app: 'shop', categories: ['maintenance'], via: 'mail' })
    expect((await svc(['enable', 'shop', '--yes'])).stderr).not.toContain('You are not told')
  })

  it('exits with 0 after a run that found nothing, and with 11 after one that recorded a finding', async () => {
    expect(await svc(['run', 'shop'])).toMatchObject({ exit: 0, stdout: 'Ran, found nothing (found_nothing).\n' })
    const fault = '{"level":"error","text":"Cannot read the price"}\n'.repeat(3)
    await api().upload(ingestLogs, { alias: 'shop' }, new Blob([fault]).stream(), {
      contentType: 'application/x-ndjson',
    })
    expect(await svc(['run', 'shop'])).toMatchObject({
      exit: 11,
      stdout: 'Finding recorded (finding_recorded).\nAn error was logged 3 times: Cannot read the price\n',
      stderr:
        'The model builtin/detectors records findings and never proposes a change. For proposals name a chat model: see /guides/maintenance at your instance.\n',
    })
    const status = await svc(['status', 'shop'])
    const never = 'The model builtin/detectors records findings and never proposes a change.'
    expect(status.stderr).toContain(never)
    expect(status.stdout).toMatch(/^Maintenance +on\nModel +builtin\/detectors\nNightly +0 3 \* \* \* UTC\n/)
    expect(status.stdout).toMatch(/\nResult +Finding recorded\nSummary +An error was logged 3 times/)
  })

  it('MA-31 lists and shows findings, dismisses one with a reason, and reports it again', async () => {
    const { stdout } = await svc(['findings', 'shop'])
    const [header, row] = stdout.trimEnd().split('\n')
    expect(header!.split(/ {2,}/)).toEqual(['FINDING', 'STATE', 'LAST SEEN', 'SUMMARY'])
    const id = row!.split(' ')[0]!
    expect(id).toMatch(/^[0-9a-f]{12}$/)
    const shown = await svc(['finding', 'shop', id])
    expect(shown.stdout).toMatch(/\nMeaning +The same error was logged at least three times in a day/)
    expect(shown.stdout).toMatch(/\n\n\S+ {2}Cannot read the price\n/)
    expect(shown.stderr).toContain(`svc apps maintenance dismiss shop ${id} --reason <text>`)
    expect(await svc(['dismiss', 'shop', id])).toMatchObject({ exit: 5 })
    expect(await svc(['dismiss', 'shop', id, '--reason', 'A test'])).toMatchObject({
      exit: 0,
      stdout: `Dismissed ${id}. It is not reported again.\n`,
    })
    expect(await svc(['run', 'shop'])).toMatchObject({ exit: 0 })
    expect(await svc(['reopen', 'shop', id])).toMatchObject({ exit: 0 })
    expect(await svc(['finding', 'shop', 'ffffffffffff'])).toMatchObject({ exit: 4 })
  })

  it('prints one document a line with --follow --json, and exactly one summary', async () => {
    const { exit, stdout } = await svc(['run', 'shop', '--follow', '--json'])
    const documents = lines(stdout)
    expect(exit).toBe(11)
    expect(documents[0]).toEqual({ type: 'execution_created', execution_id: expect.stringMatching(/^exe_/) })
    expect(documents.at(-1)).toMatchObject({ type: 'summary', outcome: 'finding_recorded', exit_code: 11 })
    const between = documents.slice(1, -1).map(({ type }) => type)
    expect(new Set(between)).toEqual(new Set(['status']))
  })

  it('MA-13 shows the same run for the same key', async () => {
    const first = await svc(['run', 'shop', '--json', '--idempotency-key', 'nightly-1'])
    const second = await svc(['run', 'shop', '--json', '--idempotency-key', 'nightly-1'])
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout))
  })

  it('does not wait with --async, and refuses to follow what it does not wait for', async () => {
    expect(await svc(['run', 'shop', '--async'])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^exe_\w+\n$/),
    })
    expect(await svc(['run', 'shop', '--async', '--follow'])).toMatchObject({ exit: 5 })
  })

  /** A run that is under way until the test ends it, and that the key stands for. */
  async function runningRun(key: string): Promise<string> {
    const id = newId('exe')
    await until(
      async () => (await system.db.query(sql`select from maintenance.runs where status <> 'ended'`)).length === 0,
    )
    await system.db.query(sql`
      insert into maintenance.runs
        (id, org_id, app_id, mode, model, idempotency_key, status, fence, lease_until, created_at)
      select ${id}, org_id, id, 'manual', 'builtin/detectors', ${key}, 'running', nextval('svc.fences'),
        clock_timestamp() + interval '1 hour', now()
      from apps.apps where org_id = ${admin.org_id}`)
    return id
  }
  const endRun = (id: string) =>
    system.db.query(sql`
      update maintenance.runs set status = 'ended', terminal_code = 'found_nothing', ended_at = now() where id = ${id}`)

  it('goes on following when the server was away, and still prints one summary', async () => {
    const id = await runningRun('away')
    let isAway = false
    let asked = 0
    const passOn = async ({ method = '', url: path, headers }: IncomingMessage, response: ServerResponse) => {
      const sent = {
        authorization: headers.authorization!,
        'idempotency-key': 'away',
        'content-type': 'application/json',
      }
      const body = method === 'POST' ? { body: '{"mode":"manual"}' } : {}
      const answer = await fetch(`${system.url}${path}`, { method, headers: sent, ...body })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
    const server = createServer((request, response) => {
      asked++
      if (isAway) request.socket.destroy()
      else void passOn(request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const args = ['apps', 'maintenance', 'run', 'shop', '--follow', '--json', '--idempotency-key', 'away']
    const following = runSvc(args, { env: { SVC_API_URL: url, SVC_API_KEY: admin.token } })
    await until(() => asked >= 2)
    isAway = true
    await until(() => asked >= 4)
    isAway = false
    await endRun(id)
    const { exit, stdout } = await following
    server.closeAllConnections()
    server.close()
    expect(exit).toBe(0)
    expect(lines(stdout).map(({ type, status }) => [type, status])).toEqual([
      ['execution_created', undefined],
      ['status', 'running'],
      ['status', 'ended'],
      ['summary', 'ended'],
    ])
  })

  it('exits with 7 after --timeout and with 130 after Ctrl-C, leaves the run going and says how to follow it', async () => {
    const id = await runningRun('slow')
    const again = 'Follow it: svc apps maintenance run shop --follow --idempotency-key slow'
    const late = await svc(['run', 'shop', '--timeout', '1', '--idempotency-key', 'slow'])
    expect([late.exit, late.stderr]).toEqual([7, `svc: The run ${id} is still running and goes on.\n${again}\n`])
    const env = { PATH: process.env.PATH, SVC_API_URL: system.url, SVC_API_KEY: admin.token }
    const args = ['apps', 'maintenance', 'run', 'shop', '--follow', '--idempotency-key', 'slow']
    const child = spawn(process.execPath, [LAUNCHER, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    await until(() => stderr.includes('running …'))
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(stderr).toContain(`The run ${id} goes on. ${again}\n`)
    const [row] = await system.db.query(sql`select status from maintenance.runs where id = ${id}`)
    expect(row).toEqual({ status: 'running' })
    await endRun(id)
  })

  it('lists runs newest first', async () => {
    const { stdout } = await svc(['runs', 'shop', '--limit', '2'])
    const [header, ...rows] = stdout.trimEnd().split('\n')
    expect(header!.split(/ {2,}/)).toEqual(['EXECUTION', 'STATUS', 'TERMINAL CODE', 'TOKENS', 'CREATED'])
    const ids = rows.map((row) => row.split(' ')[0]!)
    expect(ids).toEqual(ids.toSorted().toReversed())
    await system.db.query(sql`
      update maintenance.runs set tokens_spent = 1200, cost_usd = 0.0125 where id = ${ids[0]!}`)
    const priced = (await svc(['runs', 'shop', '--limit', '1'])).stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect([priced[0]!.slice(3, 5), priced[1]!.slice(3, 5)]).toEqual([
      ['TOKENS', 'COST'],
      ['1200', '0.012500 USD'],
    ])
    expect((await svc(['status', 'shop'])).stdout).toMatch(/\nSpent +1200 tokens, 0\.012500 USD\n/)
  })

  it('is refused to developers with exit 3, and switches off', async () => {
    const developer = await system.member('developer', admin.org_id)
    expect(await svc(['disable', 'shop', '--yes'], developer)).toMatchObject({ exit: 3 })
    expect(await svc(['disable', 'shop', '--yes'])).toMatchObject({
      exit: 0,
      stdout: 'The maintenance agent is off for shop. Its history stays.\n',
    })
  })
})
