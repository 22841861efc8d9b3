import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ERRORS, ServiceError } from '#contract/core/errors.ts'
import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { ConfigError, environment } from './config/reader.ts'
import { assets } from './files/assets.ts'
import { printError, printLine } from './process/output.ts'
import { startFault } from './process/start-fault.ts'

const HELP = `Maintain an svc server. Run it with the same environment variables as the server.

Usage:
  svc-server migrate     apply all pending migrations and print each of them
  svc-server reseal      seal every stored secret under the current data key (SVC_DATA_KEY)
  svc-server doctor [--json]
                         say what is wrong with this installation, and change nothing
  svc-server park-deliveries [--confirm]
                         after restoring a backup: do not send what may have been sent already
  svc-server fetch-revision <address of svc> <revision> <folder>
                         in the pod of an app: write the files of its revision into the folder
  svc-server databases   list the Postgres servers of managed databases and unfinished moves
  svc-server databases move <name or id> --to <server> [--dry-run] [--max-hours <n>]
                         move a managed database to another server while questions to it are answered
  svc-server databases drop-old <name or id> [--confirm]
                         drop the copy that a move left on the former server
  svc-server --help
  svc-server --version

migrate needs DATABASE_URL and no secrets. A server migrates when it starts. Run this command first if servers run with
SVC_MIGRATE=off. It is safe to interrupt and repeat. See docs/running.md, "Upgrading".

reseal is the last step of changing the data key. Afterwards you can remove former keys from
SVC_DATA_KEYS_FORMER. It is safe to interrupt and repeat. See docs/running.md, "Changing the data key".

doctor checks the configuration, the stores, keys, clocks, waiting work and every address that is configured. Run it
with the variables of the server that has the trouble. It ends with 6 if it finds a problem. See docs/running.md,
"Finding faults".

park-deliveries needs DATABASE_URL and no secrets. Run it after restoring a backup and before starting a server, so that
no notification is sent twice. Without --confirm it prints how many would be parked and changes nothing. It is safe to
interrupt and repeat. See docs/notifications.md, "After restoring a backup".

fetch-revision is for pods that svc makes (SVC_DEPLOY_TARGET=kubernetes). It needs the token that is projected into
them and reads no other setting. See docs/kubernetes.md, "Apps".

databases needs the variables of the server and, to move, pg_dump and pg_restore on the PATH. The owner of a database
cannot connect while it is moved. It is safe to interrupt and repeat. See docs/database-servers.md, "Moving a database".

With Postgres the server can keep running, except for park-deliveries. With the embedded database, stop it first.

Exit codes: 0 success, 1 unexpected error, 4 no database in the data folder, 5 wrong usage or configuration,
6 the data folder is in use, the schema does not fit this version, values remain under another key, or doctor found a
problem.
`

type Print = (line: string) => void
type Options = {
  confirm: boolean
  json: boolean
  to: string | undefined
  maxHours: string | undefined
  dryRun: boolean
  operands: readonly string[]
}

/** Loads the code of a command only when it runs, so that help is fast. */
const COMMANDS: Record<string, (print: Print, options: Options) => Promise<void>> = {
  migrate: async (print) => (await import('./commands/migrate.ts')).runMigrations(environment(), print),
  reseal: async (print) => (await import('./commands/reseal.ts')).reseal(environment(), print),
  doctor: async (print, { json }) =>
    (await import('./commands/doctor/command.ts')).runDoctor(environment(), print, json),
  'park-deliveries': async (print, { confirm }) =>
    (await import('./commands/park.ts')).runPark(environment(), print, confirm),
  'fetch-revision': async (print, { operands: [apiUrl, revisionId, folder] }) =>
    (await import('./commands/fetch.ts')).runFetch(
      { apiUrl: apiUrl!, revisionId: revisionId!, folder: folder! },
      print,
    ),
  databases: async (print, { operands, ...options }) =>
    (await import('./commands/databases.ts')).runDatabases(environment(), print, operands, options),
}

/** The fewest and most operands of a command. The other commands take none. */
const OPERANDS: Record<string, readonly [number, number]> = { 'fetch-revision': [3, 3], databases: [0, 2] }

/** Returns the exit code. Errors are written to standard error. */
async function run(args: readonly string[]): Promise<number> {
  try {
    await readCommand(args)(printLine)
    return 0
  } catch (error) {
    const { code, message } = toServiceError(error)
    printError(`svc-server: ${message}`)
    return ERRORS[code].exit
  }
}

function readCommand(args: readonly string[]): (print: Print) => Promise<void> {
  const options = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
    confirm: { type: 'boolean' },
    json: { type: 'boolean' },
    to: { type: 'string' },
    'max-hours': { type: 'string' },
    'dry-run': { type: 'boolean' },
  } as const
  const { values, positionals } = parse(() => parseArgs({ args: [...args], options, allowPositionals: true }))
  if (values.version) return async (print) => print(readVersion())
  const [name = 'help', ...rest] = positionals
  if (values.help || name === 'help') return async (print) => print(HELP.trimEnd())
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const [fewest, most] = OPERANDS[name] ?? [0, 0]
  if (!command || rest.length < fewest || rest.length > most) throw usage(`Unknown command: ${positionals.join(' ')}.`)
  const { confirm = false, json = false, to, 'max-hours': maxHours, 'dry-run': dryRun = false } = values
  if (confirm && name !== 'park-deliveries' && name !== 'databases') {
    throw usage('--confirm belongs to svc-server park-deliveries and svc-server databases drop-old.')
  }
  if ((to !== undefined || maxHours !== undefined || dryRun) && name !== 'databases') {
    throw usage('--to, --max-hours and --dry-run belong to svc-server databases move.')
  }
  if (json && name !== 'doctor') throw usage('--json belongs to svc-server doctor.')
  return (print) => command(print, { confirm, json, to, maxHours, dryRun, operands: rest })
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

function usage(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${message}\nUse svc-server --help for more information.`)
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof FolderInUse) return new ServiceError('CONFLICT', `${error.message}. Stop the server first.`)
  if (error instanceof ConfigError || error instanceof DataKeyRefused)
    return new ServiceError('INVALID_REQUEST', error.message)
  const message = startFault(error, { host: '', port: 0, dataDir: '' })
  return new ServiceError(error instanceof MigrationRefused ? 'CONFLICT' : 'INTERNAL', message)
}

function readVersion(): string {
  return (JSON.parse(readFileSync(assets.packageJson(), 'utf8')) as { version: string }).version
}

process.exitCode = await run(process.argv.slice(2))
