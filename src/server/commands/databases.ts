import { ServiceError } from '#contract/core/errors.ts'
import { findPending } from '#lib/db/migrate/migrate.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { createMover } from '../areas/databases/index.ts'
import { readSettings } from '../config/config.ts'
import type { Environment } from '../config/reader.ts'
import { openDatabase } from '../process/open-database.ts'
import { allMigrations } from '../process/schema.ts'

type Print = (line: string) => void
type Mover = ReturnType<typeof createMover>
export type DatabasesOptions = {
  readonly to: string | undefined
  readonly maxHours?: string | undefined
  readonly dryRun: boolean
  readonly confirm: boolean
}

const BYTES_PER_MB = 1024 ** 2

/** Lists the Postgres servers of managed databases, moves a database between them, and drops what a move left. */
export async function runDatabases(
  env: Environment,
  print: Print,
  args: readonly string[],
  options: DatabasesOptions,
): Promise<void> {
  const run = readAction(args, options)
  const stores = readSettings(env)
  // A pooler before the platform's database knows no managed ones, and drops the settings of our connections to them.
  const databaseUrl = stores.databaseDirectUrl ?? stores.databaseUrl
  const { databases } = stores
  if (databaseUrl === undefined)
    throw usage('svc-server databases needs DATABASE_URL: the embedded engine has one place.')
  await using stack = new AsyncDisposableStack()
  const log = createLog('error')
  const db = stack.use(await openDatabase(stores, log))
  if ((await findPending(db, allMigrations())).pending.length > 0) {
    throw new ServiceError('CONFLICT', 'The database lacks migrations of this version. Run svc-server migrate first.')
  }
  const waits = options.maxHours === undefined ? {} : { copyMs: Number(options.maxHours) * 3600_000 }
  const settings = { ...databases, databaseUrl, path: env.PATH, print, waits }
  await run(stack.use(createMover({ db, clock: systemClock, log, ...settings })), print)
}

function readAction(args: readonly string[], { to, maxHours, dryRun, confirm }: DatabasesOptions) {
  const [action = 'list', name] = args
  if (action !== 'move' && (to !== undefined || maxHours !== undefined || dryRun))
    throw usage('--to, --max-hours and --dry-run belong to svc-server databases move.')
  if (maxHours !== undefined && !/^(?:[1-9]\d?|[1-4]\d\d)$/.test(maxHours))
    throw usage('--max-hours is a number of hours from 1 to 499.')
  if (action !== 'drop-old' && confirm) throw usage('--confirm belongs to svc-server databases drop-old.')
  if (action === 'list' && name === undefined) return list
  if (action !== 'move' && action !== 'drop-old') throw usage(`Unknown command: databases ${args.join(' ')}.`)
  if (name === undefined) throw usage(`Name the database: svc-server databases ${action} <name or id>.`)
  if (action === 'drop-old') return (mover: Mover, print: Print) => dropOld(mover, print, name, confirm)
  if (to === undefined) throw usage('Name the server to move it to: --to <server>.')
  return (mover: Mover, print: Print) => move(mover, print, { name, to, dryRun })
}

async function list(mover: Mover, print: Print): Promise<void> {
  for (const { name, state, databases, maxDatabases, bytes, maxBytes } of await mover.room()) {
    const size =
      bytes === undefined ? 'does not answer' : `${megabytes(bytes)}${limit(maxBytes && megabytes(maxBytes))}`
    print(`${name}: ${state}, ${databases}${limit(maxDatabases)} databases, ${size}`)
  }
  for (const { id, name, org_id, from_server, to_server, phase } of await mover.moves()) {
    print(
      phase === 'kept'
        ? `${name} (${id} of ${org_id}) was moved to ${to_server}; its old copy is still on ${from_server}`
        : `${name} (${id} of ${org_id}) is being moved from ${from_server} to ${to_server}`,
    )
  }
}

type MoveArgs = { readonly name: string; readonly to: string; readonly dryRun: boolean }

async function move(mover: Mover, print: Print, { name, to, dryRun }: MoveArgs): Promise<void> {
  const row = await mover.find(name)
  if (dryRun) {
    const { bytes, tables, sessions } = await mover.plan(row, to)
    print(`${row.name} (${row.id} of ${row.org_id}) can be moved from ${row.server} to ${to}:`)
    print(`  ${tables} tables, ${megabytes(bytes)}; ${sessions} connections of its owner would be ended`)
    print('Nothing was changed.')
    return
  }
  await mover.move(row, to)
  print(`${row.name} is on ${to} now. Its connection string has another address, which its creator is`)
  print(
    `told by mail: svc db connect ${row.name} prints the new one. The old copy is kept on ${row.server} until you run`,
  )
  print(`svc-server databases drop-old ${row.id} --confirm`)
}

async function dropOld(mover: Mover, print: Print, name: string, isConfirmed: boolean): Promise<void> {
  const row = await mover.find(name)
  const server = await mover.oldServerOf(row)
  if (!isConfirmed) {
    print(`The old copy of ${row.name} (${row.id}) is on ${server}. Nothing was changed.`)
    print(`To drop it, run svc-server databases drop-old ${row.id} --confirm.`)
    return
  }
  await mover.dropOld(row)
  print(`Dropped the old copy of ${row.name} on ${server}.`)
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / BYTES_PER_MB)} MiB`
}

function limit(most: string | number | undefined): string {
  return most === undefined ? '' : ` of ${most}`
}

function usage(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${message}\nUse svc-server databases --help for more information.`)
}
