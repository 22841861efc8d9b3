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

const HELP = `Start or maintain an svc server. The other commands are run with the same environment variables as the server.

Usage:
  svc-server start       start the server, by default with everything in .svc/ of the current folder
  svc-server migrate     apply all pending migrations and print each of them
  svc-server reseal      seal every stored secret under the current data key (SVC_DATA_KEY)
  svc-server doctor [--json]
                         say what is wrong with this installation, and change nothing
  svc-server backup <file> [--public-key <key>]... [--key-file <file>] [--max-hours <n>]
                         save the installation, encrypted, while it runs; the file can be - or s3://bucket/name
  svc-server backup verify <file> [--key-file <file>]
                         restore a backup to a place that is thrown away, and prove that it works
  svc-server backup key  print a new pair of keys for backups
  svc-server restore <file> [--key-file <file>] [--secrets-to <file>] [--without-missing]
                         restore a backup to an empty folder or database; starts nothing
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

backup saves the databases, the roles, the revisions of apps and the secrets. It is always encrypted: for a public key,
or with the passphrase in SVC_BACKUP_PASSPHRASE or in --key-file. restore and verify take the private key or the
passphrase from --key-file, SVC_BACKUP_PRIVATE_KEY or SVC_BACKUP_PASSPHRASE. On Postgres all three need its programs
(pg_dump, pg_restore) on the PATH. They are safe to interrupt and repeat. See docs/operations.md, "Backup".

park-deliveries needs DATABASE_URL and no secrets. Run it after restoring a backup and before starting a server, so that
no notification is sent twice. Without --confirm it prints how many would be parked and changes nothing. It is safe to
interrupt and repeat. See docs/notifications.md, "After restoring a backup".

fetch-revision is for pods that svc makes (SVC_DEPLOY_TARGET=kubernetes). It needs the token that is projected into
them and reads no other setting. See docs/kubernetes.md, "Apps".

databases needs the variables of the server and, to move, pg_dump and pg_restore on the PATH. The owner of a database
cannot connect while it is moved. It is safe to interrupt and repeat. See docs/database-servers.md, "Moving a database".

With Postgres the server can keep running, except for park-deliveries and restore. With the embedded database, stop it
first, except for backup.

Exit codes: 0 success, 1 unexpected error, 4 no database in the data folder, 5 wrong usage or configuration,
6 the data folder is in use, the schema does not fit this version, values remain under another key, or doctor found a
problem.
`

type Print = (line: string) => void
type Values = {
  readonly confirm?: boolean
  readonly json?: boolean
  readonly to?: string
  readonly 'max-hours'?: string
  readonly 'dry-run'?: boolean
  readonly 'public-key'?: string[]
  readonly 'key-file'?: string
  readonly 'secrets-to'?: string
  readonly 'without-missing'?: boolean
}
type Input = { readonly values: Values; readonly operands: readonly string[] }
type Command = {
  /** The options it takes. */
  readonly options?: readonly (keyof Values)[]
  /** The fewest and most operands. By default it takes none. */
  readonly operands?: readonly [number, number]
  run(print: Print, input: Input): Promise<void>
}

/** Loads the code of a command only when it runs, so that help is fast. */
const COMMANDS: Record<string, Command> = {
  migrate: { run: async (print) => (await import('./commands/migrate.ts')).runMigrations(environment(), print) },
  reseal: { run: async (print) => (await import('./commands/reseal.ts')).reseal(environment(), print) },
  doctor: {
    options: ['json'],
    run: async (print, { values }) =>
      (await import('./commands/doctor/command.ts')).runDoctor(environment(), print, values.json ?? false),
  },
  backup: {
    options: ['public-key', 'key-file', 'max-hours'],
    operands: [1, 2],
    run: async (print, input) => (await import('./commands/backup/read-command.ts')).backupCommand(print, input),
  },
  restore: {
    options: ['key-file', 'max-hours', 'secrets-to', 'without-missing'],
    operands: [1, 1],
    run: async (print, input) => (await import('./commands/backup/read-command.ts')).restoreCommand(print, input),
  },
  'park-deliveries': {
    options: ['confirm'],
    run: async (print, { values }) =>
      (await import('./commands/park.ts')).runPark(environment(), print, values.confirm ?? false),
  },
  'fetch-revision': {
    operands: [3, 3],
    run: async (print, { operands: [apiUrl, revisionId, folder] }) =>
      (await import('./commands/fetch.ts')).runFetch(
        { apiUrl: apiUrl!, revisionId: revisionId!, folder: folder! },
        print,
      ),
  },
  databases: {
    options: ['confirm', 'to', 'max-hours', 'dry-run'],
    operands: [0, 2],
    run: async (print, { values, operands }) => {
      const { confirm = false, to, 'max-hours': maxHours, 'dry-run': dryRun = false } = values
      const { runDatabases } = await import('./commands/databases.ts')
      await runDatabases(environment(), print, operands, { confirm, to, maxHours, dryRun })
    },
  },
}

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

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  confirm: { type: 'boolean' },
  json: { type: 'boolean' },
  to: { type: 'string' },
  'max-hours': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'public-key': { type: 'string', multiple: true },
  'key-file': { type: 'string' },
  'secrets-to': { type: 'string' },
  'without-missing': { type: 'boolean' },
} as const

function readCommand(args: readonly string[]): (print: Print) => Promise<void> {
  const { values: all, positionals } = parse(() =>
    parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }),
  )
  const { help = false, version = false, ...values } = all
  if (version) return async (print) => print(readVersion())
  const [name = 'help', ...operands] = positionals
  if (help || name === 'help') return async (print) => print(HELP.trimEnd())
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const [fewest, most] = command?.operands ?? [0, 0]
  if (!command || operands.length < fewest || operands.length > most) {
    throw usage(`Unknown command: ${positionals.join(' ')}.`)
  }
  const foreign = Object.keys(values).filter((option) => !command.options?.includes(option as keyof Values))
  if (foreign.length > 0) throw usage(`svc-server ${name} has no option --${foreign.join(', --')}.`)
  return (print) => command.run(print, { values, operands })
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
