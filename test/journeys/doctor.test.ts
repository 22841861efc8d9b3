import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase } from '#test/database.ts'
import { mountSmallDisk } from '#test/databases/small-disk.ts'
import { freePort } from '#test/free-port.ts'
import { COMMAND_FILE } from '#test/programs/command-file.ts'
import { programEnvironment } from '#test/programs/program-environment.ts'
import { needs, stores } from '#test/stores.ts'
import { until } from '#test/until.ts'

const key = () => randomBytes(32).toString('hex')

type Finding = { severity: string; message: string; action: string }
type Report = { status: string; checks: { name: string; status: string; findings: Finding[] }[] }
type Env = Record<string, string | undefined>
type Run = { code: number; report: Report; stderr: string }

async function doctor(env: Env): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [COMMAND_FILE, 'doctor', '--json'],
      { env: { ...programEnvironment, ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode!, report: JSON.parse(stdout) as Report, stderr }),
    )
  })
}

const statusOf = ({ report }: Run, name: string) => report.checks.find((check) => check.name === name)?.status
const findingsText = ({ report }: Run, name: string) =>
  report.checks
    .filter((check) => check.name === name)
    .flatMap(({ findings }) => findings.map(({ message, action }) => `${message} ${action}`))
    .join('\n')

needs('postgres', 'redis')('OP-03 svc-server doctor on Postgres, with faults planted from outside', () => {
  const stack = new AsyncDisposableStack()
  let env: Env
  let superuser: pg.Client

  beforeAll(async () => {
    const database = stack.use(await openTestDatabase())
    superuser = new pg.Client({ connectionString: database.url })
    await superuser.connect()
    stack.defer(() => superuser.end())
    env = {
      DATABASE_URL: database.url,
      REDIS_URL: stores.redis,
      SVC_DATA_KEY: key(),
      SVC_INTERNAL_SECRET: key(),
      SVC_JWT_SECRET: key(),
      SVC_JWT_SIGNING_KEY: key(),
    }
  })
  afterAll(() => stack.disposeAsync())

  it('finds no problem where there is none, and changes nothing', async () => {
    const healthy = await doctor(env)
    const problems = healthy.report.checks.filter(({ status }) => status === 'problem' || status === 'skipped')
    expect([healthy.code, problems]).toEqual([0, []])
    expect(findingsText(healthy, 'mail')).toContain('No mail server is configured: no mail is sent.')
    expect(findingsText(healthy, 'sign-in')).toContain('no identity provider is set')
    const { rows } = await superuser.query('select count(*)::int as keys from svc.data_keys')
    expect(rows).toEqual([{ keys: 0 }])
  })

  it('names each of thirteen faults in the database, the variables and the services around it, in one run', async () => {
    await using faults = new AsyncDisposableStack()
    const other = createServer((request, response) => {
      response
        .writeHead(request.url === '/v1/models' ? 401 : 404, { 'content-type': 'text/html' })
        .end('another server')
    })
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
    faults.defer(() => void other.close())
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const nowhere = `http://127.0.0.1:${await freePort()}`

    const role = `doctor_${randomBytes(4).toString('hex')}`
    await superuser.query(`create role ${role} login password 'planted' in role postgres`)
    faults.defer(async () => void (await superuser.query(`drop role ${role}`)))
    const limited = new URL(env.DATABASE_URL!)
    limited.username = role
    limited.password = 'planted'

    await superuser.query(`
      insert into svc.data_keys (key_id, check_value) values ('0badcafe', 'sealed elsewhere');
      insert into svc.outbox (id, org_id, type, body, occurred_at)
        values ('evt_1', 'org_1', 'deploy.failed', '{}', now() - interval '2 hours');
      insert into notifications.deliveries (id, org_id, destination_key, kind, state, lease_until, created_at)
        values ('del_1', 'org_1', 'key', 'webhook', 'sending', now() - interval '1 hour', now() - interval '1 hour');
      insert into notifications.channels (id, org_id, kind, label, state, disabled_reason, created_at)
        values ('cha_1', 'org_1', 'webhook', 'hook', 'disabled', 'the receiver answered 410', now());
      insert into activity.records (id, org_id, type, source, target, principal_kind, principal_id, asked_at, counted,
          key_id, digest, question_bytes)
        values ('act_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'org_1', 'function', 'api', 'a/f', 'run', 'exe_1', now(), false, 'key',
          decode(repeat('00', 16), 'hex'), 1);
      delete from public.svc_migrations where area = 'checks'`)

    const ill = await doctor({
      ...env,
      DATABASE_URL: limited.href,
      REDIS_URL: `redis://127.0.0.1:${new URL(nowhere).port}`,
      SVC_REDIRECT_BASE_URL: address,
      SVC_OIDC_ISSUER: nowhere,
      SVC_OIDC_CLIENT_ID: 'id',
      SVC_OIDC_CLIENT_SECRET: 'secret',
      SVC_AI_PROVIDERS: JSON.stringify([{ name: 'own', base_url: `${address}/v1`, api_key: 'wrong', kind: 'openai' }]),
      SVC_LOG_LEVL: 'debug',
      NODE_OPTIONS: '--import data:text/javascript,const%20now=Date.now;Date.now=()=>now()+90000',
    })
    expect([ill.code, ill.report.status]).toEqual([6, 'problem'])
    expect(ill.stderr).toMatch(/\d+ problems were found\./)
    const words: Record<string, string> = {
      configuration: 'SVC_LOG_LEVL is not a setting of svc. Did you mean SVC_LOG_LEVEL?',
      migrations: 'The database lacks',
      'data keys': '0badcafe',
      clock: '90 seconds ahead of the clock of the database',
      'managed databases': 'createdb',
      redis: 'Redis does not answer',
      'identity providers': `${nowhere} does not answer`,
      'public address': `${address} is not the api-gateway of svc`,
      'AI providers': 'The AI provider own cannot be used',
      outbox: '1 events wait to become notifications, the oldest for 120 minutes',
      jobs: '1 messages that were being sent have lost their worker',
      destinations: 'The webhook channel cha_1 of org_1 is switched off: the receiver answered 410',
      partitions: 'activity.records: 1 rows belong to no partition of their time.',
    }
    for (const [name, text] of Object.entries(words)) expect(findingsText(ill, name), name).toContain(text)
    expect(JSON.stringify(ill)).not.toContain('planted')
    expect(JSON.stringify(ill)).not.toContain(env.SVC_DATA_KEY)
  })

  it('says that Redis may drop what must not be lost, and that the hosted auth service is away', async () => {
    const port = await freePort()
    const options = `--port ${port} --bind 127.0.0.1 --maxmemory 16mb --maxmemory-policy allkeys-lru --save`
    const redis = spawn('redis-server', [...options.split(' '), ''])
    let output = ''
    redis.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    try {
      await until(() => output.includes('Ready to accept connections'))
      const hosted = `http://127.0.0.1:${await freePort()}`
      const run = await doctor({ ...env, REDIS_URL: `redis://127.0.0.1:${port}`, AUTH_SERVICE_URL: hosted })
      expect(findingsText(run, 'auth service')).toContain(`The auth service at ${hosted} does not answer`)
      expect([statusOf(run, 'redis'), findingsText(run, 'redis')]).toEqual([
        'problem',
        expect.stringContaining('allkeys-lru'),
      ])
    } finally {
      redis.kill()
      await once(redis, 'exit')
    }
  })

  it('names a database that does not answer and each error of the configuration, and says which checks were left out', async () => {
    const url = `postgres://svc:hidden@127.0.0.1:${await freePort()}/svc`
    const run = await doctor({ ...env, DATABASE_URL: url, SVC_DATA_KEY: 'short' })
    expect(run.code).toBe(6)
    expect(findingsText(run, 'configuration')).toContain('SVC_DATA_KEY must be 32 bytes as 64 hex digits')
    expect(findingsText(run, 'database')).toContain('The database does not answer')
    expect([statusOf(run, 'migrations'), statusOf(run, 'outbox'), statusOf(run, 'redis')]).toEqual(
      Array.from({ length: 3 }, () => 'skipped'),
    )
    expect(JSON.stringify(run)).not.toContain('hidden')
  })
})

const disk = mountSmallDisk(8)
afterAll(() => disk?.[Symbol.dispose]())

describe.skipIf(!disk)('a data folder on a disk of 8 MiB (skipped: needs to mount one)', () => {
  it('OP-03 svc-server doctor says that the folder has no database, that the disk is full and what was not removed', async () => {
    mkdirSync(join(disk!.path, 'databases', 'removed-0123456789ab'), { recursive: true })
    const run = await doctor({ SVC_DATA_DIR: disk!.path })
    expect(findingsText(run, 'removed data')).toContain(
      'databases/removed-0123456789ab holds data that was being removed',
    )
    expect([run.code, findingsText(run, 'database')]).toEqual([
      6,
      expect.stringContaining(`no database in ${disk!.path}`),
    ])
    expect(findingsText(run, 'disk')).toContain('the disk is full')
  })
})
