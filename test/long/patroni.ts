import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { stringify } from 'yaml'
import { adminCreateOrg } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { freePort } from '#test/free-port.ts'
import { startProcess } from '#test/programs/processes.ts'
import { stores } from '#test/stores.ts'
import { onServer } from '#test/suite/global-setup.ts'
import { testEnvironment } from '#test/system.ts'
import { until, untilDone } from '#test/until.ts'
import { startHaproxy } from '../cluster/haproxy.ts'

/**
 * `npm run test:patroni`: etcd, two Postgres servers under Patroni with synchronous replication, and HAProxy, all on this
 * machine, as docs/kubernetes.md describes. One process of svc writes through HAProxy while the leader is killed. Fails if
 * an acknowledged write is lost, if an error is not of the kind that clients repeat, or if no write succeeds again. Needs
 * SVC_TEST_DATABASE_URL, which says where the programs of Postgres are, and the Debian packages patroni, etcd-server and
 * haproxy; PATRONI and ETCD can name other programs.
 */
const PATRONI = process.env.PATRONI ?? 'patroni'
const ETCD = process.env.ETCD ?? 'etcd'
const WRITES = 50
const NODES = ['one', 'two'] as const

type Node = { name: string; port: number; restPort: number; data: string; child: ChildProcess }

await using stack = new AsyncDisposableStack()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(130)))
}
const folder = mkdtempSync(join(tmpdir(), 'svc-patroni-'))
stack.defer(() => rmSync(folder, { recursive: true, force: true }))
chmodSync(folder, 0o755)
const password = randomBytes(16).toString('hex')

console.log('starting etcd, two Postgres servers under Patroni and HAProxy')
const etcd = await startEtcd()
const nodes: Node[] = []
for (const name of NODES) nodes.push(await startNode(name))
const front = await freePort()
const servers = nodes.map(({ port, restPort }) => ({ port, health: restPort }))
stack.use(await startHaproxy([], { port: front, servers }))
const superuser = `postgres://postgres:${password}@127.0.0.1:${front}/postgres`
await untilDone(() => onServer(superuser, 'select 1'))
await until(async () => (await stateOf()).sync !== undefined)
await onServer(superuser, 'create database svc')
const databaseUrl = superuser.replace(/postgres$/, 'svc')

console.log('starting svc, which writes through HAProxy')
const env = { ...testEnvironment(databaseUrl, folder), SVC_EXAMPLE: 'false' }
const svc = stack.use(await startProcess(env as Record<string, string>))
const headers = () => ({ authorization: `Bearer ${(env as Record<string, string>).SVC_OPERATOR_TOKEN}` })
const client = createClient({ baseUrl: svc.url, fetch, headers })
const acknowledged: string[] = []
const errors = new Map<string, number>()
let lastFault = 0
const over = new AbortController()
const writing = write()
await until(() => acknowledged.length >= WRITES)

const { leader } = await stateOf()
const doomed = nodes.find(({ name }) => name === leader)!
console.log(`killing the leader ${leader} after ${acknowledged.length} acknowledged writes`)
const killedAt = performance.now()
// Patroni first, so that it does not start its Postgres again.
doomed.child.kill('SIGKILL')
const postmaster = Number(readFileSync(join(doomed.data, 'postmaster.pid'), 'utf8').split('\n')[0])
process.kill(postmaster, 'SIGKILL')
const before = acknowledged.length
await until(async () => (await stateOf()).leader !== leader)
await until(() => acknowledged.length >= before + WRITES)
over.abort()
await writing

const reader = new pg.Client({ connectionString: databaseUrl })
await reader.connect()
const { rows } = await reader.query<{ name: string }>(`select name from auth.orgs where name like 'Org %'`)
await reader.end()
const stored = new Set(rows.map(({ name }) => name))
const lost = acknowledged.filter((name) => !stored.has(name))
const unexpected = [...errors.keys()].filter((code) => code !== 'UNAVAILABLE')
const outage = ((lastFault - killedAt) / 1000).toFixed(1)
console.log(
  JSON.stringify({
    leader: (await stateOf()).leader,
    acknowledged: acknowledged.length,
    lost,
    errors: [...errors],
    outage_seconds: outage,
  }),
)
if (lost.length + unexpected.length > 0) process.exitCode = 1

async function write(): Promise<void> {
  for (let n = 0; !over.signal.aborted; n++) {
    const name = `Org ${n}`
    try {
      await client.call(adminCreateOrg, { name })
      acknowledged.push(name)
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : String(error)
      errors.set(code, (errors.get(code) ?? 0) + 1)
      lastFault = performance.now()
    }
  }
}

async function startEtcd(): Promise<string> {
  const [clients, peers] = [await freePort(), await freePort()]
  const [url, peer] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`]
  const args = ['--name=etcd', `--data-dir=${join(folder, 'etcd')}`, '--enable-v2=true']
  const addresses = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--listen-peer-urls=${peer}`]
  const cluster = [`--initial-advertise-peer-urls=${peer}`, `--initial-cluster=etcd=${peer}`]
  start('etcd', ETCD, [...args, ...addresses, ...cluster], { ETCD_UNSUPPORTED_ARCH: 'arm64' })
  await untilDone(async () => {
    if (!(await fetch(`${url}/health`)).ok) throw new Error('etcd is not ready')
  })
  return `127.0.0.1:${clients}`
}

async function startNode(name: string): Promise<Node> {
  const [port, restPort] = [await freePort(), await freePort()]
  const place = join(folder, name)
  mkdirSync(place)
  const data = join(place, 'data')
  const login = (username: string) => ({ username, password })
  const settings = {
    scope: 'svc',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd: { hosts: etcd },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: false, parameters: { max_connections: 100 } },
      },
      initdb: [{ encoding: 'UTF8' }, 'no-sync', { 'auth-host': 'scram-sha-256' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      pgpass: join(place, 'pgpass'),
      bin_dir: await binariesFolder(),
      authentication: { superuser: login('postgres'), replication: login('replicator') },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      parameters: { unix_socket_directories: place },
    },
  }
  const file = join(place, 'patroni.yaml')
  writeFileSync(file, stringify(settings))
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [place, file]) chownSync(path, await idOf('-u'), await idOf('-g'))
  const command = [PATRONI, file]
  const child = isRoot
    ? start(name, 'setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', ...command])
    : start(name, command[0]!, command.slice(1))
  await untilDone(async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, `${name}.log`), 'utf8').slice(-2_000))
    if (!(await fetch(`http://127.0.0.1:${restPort}/readiness`)).ok) throw new Error('Patroni is not ready')
  })
  return { name, port, restPort, data, child }
}

/** Asks a node that lives for the names of the leader and of the synchronous standby. */
async function stateOf(): Promise<{ leader: string | undefined; sync: string | undefined }> {
  for (const { restPort } of nodes) {
    try {
      const response = await fetch(`http://127.0.0.1:${restPort}/cluster`)
      const { members } = (await response.json()) as { members: { name: string; role: string; state: string }[] }
      const named = (role: string) => members.find((member) => member.role === role && member.state !== 'stopped')?.name
      return { leader: named('leader'), sync: named('sync_standby') }
    } catch {
      // The node is dead; the other one knows.
    }
  }
  return { leader: undefined, sync: undefined }
}

function start(name: string, program: string, args: string[], more: Record<string, string> = {}): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const child = spawn(program, args, { env: { ...process.env, ...more }, stdio: ['ignore', log, log] })
  child.on('error', (error) => console.error(`${program}: ${error.message}`))
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return child
}

async function binariesFolder(): Promise<string> {
  const reading = new pg.Client({ connectionString: stores.postgres! })
  await reading.connect()
  const { rows: found } = await reading.query<{ setting: string }>(
    `select setting from pg_config where name = 'BINDIR'`,
  )
  await reading.end()
  return found[0]!.setting
}

async function idOf(option: '-u' | '-g'): Promise<number> {
  const child = spawn('id', [option, 'postgres'])
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  return Number(text.toString())
}
