import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

export const PG_BIN = '/usr/lib/postgresql/15/bin'
const run = promisify(execFile)
const script = join(import.meta.dirname, '../../.ci/stores.sh')

/** Durable settings, as in production. The tests' own settings are not durable. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
}

const COMMITS = 50

type Stores = AsyncDisposable & { databaseUrl: string; redisUrl: string; postmaster: number }

/** Returns why the stores cannot be started here, or undefined. */
export function storesMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'Postgres is started as its own user, which only root can do'
  return existsSync(join(PG_BIN, 'pgbench')) ? undefined : 'no pgbench: run .ci/stores.sh install'
}

/** Starts a Postgres and a Redis for the benchmark. `extra` are further settings of Postgres. */
export async function startStores(extra: Readonly<Record<string, string>> = {}): Promise<Stores> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ask-'))
  const stop = async () => {
    await run(script, ['down', dir])
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await run(script, ['up', dir])
    const env = Object.fromEntries((await readFile(join(dir, 'env'), 'utf8')).split('\n').map((line) => split(line)))
    const databaseUrl = env.SVC_TEST_DATABASE_URL!
    for (const [name, value] of Object.entries({ ...SETTINGS, ...extra }))
      await query(databaseUrl, `alter system set ${name} = '${value}'`)
    await restart(dir)
    const [pid = ''] = (await readFile(join(dir, 'pg/postmaster.pid'), 'utf8')).split('\n')
    return { databaseUrl, redisUrl: env.SVC_TEST_REDIS_URL!, postmaster: Number(pid), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export async function query<Row = Record<string, string>>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(text, values)
    return (Array.isArray(result) ? result.at(-1)!.rows : result.rows) as Row[]
  } finally {
    await client.end()
  }
}

/** Measures a durable commit in milliseconds, the lower bound for a recorded question. */
export async function commitMs(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table commits (at timestamptz)')
  const took: number[] = []
  for (let commit = 0; commit < COMMITS; commit++) {
    const before = performance.now()
    await client.query('insert into commits values (now())')
    took.push(performance.now() - before)
  }
  await client.query('drop table commits')
  await client.end()
  return took.sort((a, b) => a - b)[COMMITS / 2]!
}

/** Logs to a file, because a server that inherits our pipe would keep this process waiting. */
async function restart(dir: string): Promise<void> {
  const args = ['restart', '-s', '-w', '-D', join(dir, 'pg'), '-l', join(dir, 'pg.log')]
  await run('runuser', ['-u', 'postgres', '--', join(PG_BIN, 'pg_ctl'), ...args], { cwd: dir })
}

function split(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
