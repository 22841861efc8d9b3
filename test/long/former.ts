import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { withDatabase } from '../help/suite/global-setup.ts'

/**
 * Runs tests of a former commit on databases that this version migrated, as old replicas run during an upgrade.
 * `node test/long/former.ts [commit] [test files…]`: without a commit, the one before the newest migration.
 *
 * The template database of a Postgres of its own is migrated by this version. Every database that the former tests
 * create is a copy of it, and their own migrations find nothing to do.
 */
const FILES = [
  'src/server/areas/activity',
  'src/server/areas/data-sources/ask',
  'src/server/areas/apps/logs',
  'src/server/areas/notifications/deliver',
  'src/server/areas/notifications/ledger',
  'test/journeys',
]
/** Tests of commands that look at the version of the schema, and rightly refuse to work on that of a newer version. */
const LEFT_OUT = ['doctor', 'migrate', 'reseal'].map((name) => join('test', 'journeys', `${name}.test.ts`))

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const [commit = await beforeNewestMigration(), ...files] = process.argv.slice(2)
const stack = new AsyncDisposableStack()
const [source, stores] = [temporaryFolder(), temporaryFolder()]
try {
  const script = join(root, '.ci', 'stores.sh')
  await run('bash', ['-c', 'git archive "$2" | tar -x -C "$1"', 'bash', source, commit], { cwd: root })
  for (const file of LEFT_OUT) rmSync(join(source, file), { force: true })
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  stack.defer(async () => void (await run(script, ['down', stores])))
  await run(script, ['up', stores])
  const env = readEnv(join(stores, 'env'))
  const applied = await migrateTemplate(env.SVC_TEST_DATABASE_URL!)
  console.log(`The tests of ${commit.slice(0, 8)} run on databases with all ${applied} migrations of this version.`)
  process.exitCode = await test(source, env, files.length > 0 ? files : FILES)
} finally {
  await stack.disposeAsync()
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-former-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function beforeNewestMigration(): Promise<string> {
  const { stdout } = await run('git', ['log', '-1', '--format=%H', '--', 'src/**/migrations/*.sql'], { cwd: root })
  const { stdout: parent } = await run('git', ['rev-parse', `${stdout.trim()}^`], { cwd: root })
  return parent.trim()
}

function readEnv(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('SVC_TEST_'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

async function migrateTemplate(url: string): Promise<number> {
  await using db = openPostgres({ url: withDatabase(url, 'template1'), onError: console.error })
  return (await migrate(db, allMigrations())).length
}

async function test(cwd: string, env: Record<string, string>, given: readonly string[]): Promise<number> {
  const { SVC_TEST_CHROMIUM: _, ...own } = { ...process.env, ...env }
  const child = spawn(process.execPath, [join(cwd, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...given], {
    cwd,
    env: own,
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
