import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { stores } from '../stores.ts'

const run = promisify(execFile)

/** A separate Postgres cluster, whose files, log and settings a test can use. */
export type OwnPostgres = AsyncDisposable & {
  /** Connection string of its superuser. */
  url: string
  /** Its data folder, without the log. */
  folder: string
  log(): string
  /** Stops every process of the server, so that it keeps its connections and answers nothing. */
  pause(): void
  /** Lets a paused server go on. */
  resume(): void
  /** Ends the server without a checkpoint and starts it again; it then recovers from its journal. */
  crash(): Promise<void>
  /** Ends the server, and every connection to it. */
  stop(): Promise<void>
  /** Starts a server that was stopped, at the same address. */
  start(): Promise<void>
  /** Ends the server as `systemctl restart` does, and starts it again. */
  restart(): Promise<void>
  /** Makes a standby a primary. */
  promote(): Promise<void>
  /** Runs a script with `psql`, as its superuser; throws at the first statement that fails. */
  psql(script: string): Promise<void>
}

type Settings = Record<string, string | number>

/** Starts a cluster with the programs of the server the tests run against, as another user if this one is root. */
export async function startOwnPostgres(settings: Settings): Promise<OwnPostgres> {
  const programs = await programsFolder()
  const place = mkdtempSync(join(tmpdir(), 'svc-pg-'))
  const [folder, passwordFile] = [join(place, 'data'), join(place, 'password')]
  const password = randomBytes(16).toString('hex')
  writeFileSync(passwordFile, password)
  if (process.getuid?.() === 0) await run('chown', ['-R', 'postgres', place])
  const logins = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  await asPostgres(join(programs, 'initdb'), ['-D', folder, ...logins, '--no-sync', '--wal-segsize=1', '-E', 'UTF8'])
  return serve({ programs, place, password }, settings)
}

/** Starts a standby of the cluster, which follows it under the name `standby` and answers reads. */
export async function startStandby(primary: OwnPostgres, settings: Settings = {}): Promise<OwnPostgres> {
  const programs = await programsFolder()
  const place = mkdtempSync(join(tmpdir(), 'svc-pg-'))
  if (process.getuid?.() === 0) await run('chown', ['-R', 'postgres', place])
  const source = `${primary.url}?application_name=standby`
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '--wal-method=stream']
  await asPostgres(join(programs, 'pg_basebackup'), ['-D', join(place, 'data'), '-d', source, ...options])
  return serve({ programs, place, password: new URL(primary.url).password }, { fsync: 'off', ...settings })
}

type Cluster = { programs: string; place: string; password: string }

async function serve({ programs, place, password }: Cluster, settings: Settings): Promise<OwnPostgres> {
  const [folder, logFile] = [join(place, 'data'), join(place, 'log')]
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: place, port, ...settings }
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)
  const control = (...args: string[]) => asPostgres(join(programs, 'pg_ctl'), [...args, '-s', '-w', '-D', folder])
  const start = () => control('start', '-l', logFile, '-o', options.join(' '))
  await start()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const resume = () => signalAll(folder, 'SIGCONT')
  return {
    url,
    folder,
    log: () => readFileSync(logFile, 'utf8'),
    pause: () => signalAll(folder, 'SIGSTOP'),
    resume,
    crash: async () => {
      await control('stop', '-m', 'immediate')
      await start()
    },
    stop: () => control('stop', '-m', 'immediate'),
    start,
    restart: async () => {
      await control('stop', '-m', 'fast')
      await start()
    },
    promote: () => control('promote'),
    psql: async (script) => {
      const file = join(place, 'script.sql')
      writeFileSync(file, script)
      await run(join(programs, 'psql'), ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', file, url])
    },
    [Symbol.asyncDispose]: async () => {
      if (existsSync(join(folder, 'postmaster.pid'))) {
        resume()
        await control('stop', '-m', 'immediate')
      }
      rmSync(place, { recursive: true, force: true })
    },
  }
}

/** Stops the postmaster first, so that it starts no more children, which are each in a process group of their own. */
function signalAll(folder: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, signal)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  for (const child of children) {
    try {
      process.kill(Number(child), signal)
    } catch {
      // It ended meanwhile.
    }
  }
}

async function programsFolder(): Promise<string> {
  const client = new pg.Client({ connectionString: stores.postgres! })
  await client.connect()
  const { rows } = await client.query<{ setting: string }>(`select setting from pg_config where name = 'BINDIR'`)
  await client.end()
  return rows[0]!.setting
}

async function asPostgres(program: string, args: string[]): Promise<void> {
  const isRoot = process.getuid?.() === 0
  await run(isRoot ? 'runuser' : program, isRoot ? ['-u', 'postgres', '--', program, ...args] : args, { cwd: tmpdir() })
}
