import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ERRORS, ServiceError } from '#contract/core/errors.ts'
import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { FolderInUse } from '#lib/folder-lock.ts'
import { ConfigError, environment } from './config/reader.ts'
import { assets } from './process/assets.ts'
import { startFault } from './process/start-fault.ts'

const HELP = `Maintain an svc server. Run it with the same environment variables as the server.

Usage:
  svc-server migrate     apply all pending migrations and print each of them
  svc-server reseal      seal every stored secret under the current data key (SVC_DATA_KEY)
  svc-server park-deliveries [--confirm]
                         after restoring a backup: do not send what may have been sent already
  svc-server --help
  svc-server --version

migrate needs DATABASE_URL and no secrets. A server migrates when it starts. Run this command first if servers run with
SVC_MIGRATE=off. It is safe to interrupt and repeat. See docs/running.md, "Upgrading".

reseal is the last step of changing the data key. Afterwards you can remove former keys from
SVC_DATA_KEYS_FORMER. It is safe to interrupt and repeat. See docs/running.md, "Changing the data key".

park-deliveries needs DATABASE_URL and no secrets. Run it after restoring a backup and before starting a server, so that
no notification is sent twice. Without --confirm it prints how many would be parked and changes nothing. It is safe to
interrupt and repeat. See docs/notifications.md, "After restoring a backup".

With Postgres the server can keep running, except for park-deliveries. With the embedded database, stop it first.

Exit codes: 0 success, 1 unexpected error, 4 no database in the data folder, 5 wrong usage or configuration,
6 the data folder is in use, the schema does not fit this version, or values remain under another key.
`

type Print = (line: string) => void
type Options = { confirm: boolean }

/** Loads the code of a command only when it runs, so that help is fast. */
const COMMANDS: Record<string, (print: Print, options: Options) => Promise<void>> = {
  migrate: async (print) => (await import('./process/migrate-command.ts')).runMigrations(environment(), print),
  reseal: async (print) => (await import('./process/reseal.ts')).reseal(environment(), print),
  'park-deliveries': async (print, { confirm }) =>
    (await import('./process/park-command.ts')).runPark(environment(), print, confirm),
}

/** Returns the exit code. Errors are written to standard error. */
async function run(args: readonly string[]): Promise<number> {
  const print: Print = (line) => process.stdout.write(`${line}\n`)
  try {
    await readCommand(args)(print)
    return 0
  } catch (error) {
    const { code, message } = toServiceError(error)
    process.stderr.write(`svc-server: ${message}\n`)
    return ERRORS[code].exit
  }
}

function readCommand(args: readonly string[]): (print: Print) => Promise<void> {
  const options = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
    confirm: { type: 'boolean' },
  } as const
  const { values, positionals } = parse(() => parseArgs({ args: [...args], options, allowPositionals: true }))
  if (values.version) return async (print) => print(readVersion())
  const [name = 'help', ...rest] = positionals
  if (values.help || name === 'help') return async () => void process.stdout.write(HELP)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command || rest.length > 0) throw usage(`Unknown command: ${positionals.join(' ')}.`)
  const { confirm = false } = values
  if (confirm && name !== 'park-deliveries') throw usage('--confirm belongs to svc-server park-deliveries.')
  return (print) => command(print, { confirm })
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
