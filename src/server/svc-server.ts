import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ERRORS, ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { MigrationRefused } from '#lib/db/migrate/refusal.ts'
import { FolderInUse } from '#lib/files/folder-lock.ts'
import { COMMAND_NAMES, helpFor, usageOf } from './commands/help.ts'
import { ConfigError, environment } from './config/reader.ts'
import { assets } from './files/assets.ts'
import { printError, printLine } from './process/output.ts'
import { startFault } from './process/start-fault.ts'

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
  readonly 'keep-port'?: boolean
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
  keeper: { run: async (print) => (await import('./commands/keeper.ts')).runKeeper(environment(), print) },
  restart: { run: async (print) => (await import('./commands/restart.ts')).restartServer(environment(), print) },
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
    options: ['key-file', 'max-hours', 'secrets-to', 'without-missing', 'keep-port'],
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
  'keep-port': { type: 'boolean' },
} as const

function readCommand(args: readonly string[]): (print: Print) => Promise<void> {
  const { values: all, positionals } = parse(() =>
    parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }),
  )
  const { help = false, version = false, ...values } = all
  if (version) return async (print) => print(readVersion())
  const [name = 'help', ...operands] = positionals
  if (help || name === 'help') {
    const topic = name === 'help' ? operands[0] : name
    return async (print) => print(helpFor(topic))
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (name === 'start') throw usage('svc-server start takes no arguments.', name)
  if (!command) throw unknownCommand(name)
  const [fewest, most] = command.operands ?? [0, 0]
  if (operands.length < fewest || operands.length > most) {
    throw usage(`Wrong number of arguments. Usage: ${usageOf(name)}`, name)
  }
  const foreign = Object.keys(values).filter((option) => !command.options?.includes(option as keyof Values))
  if (foreign.length > 0) throw usage(`svc-server ${name} has no option --${foreign.join(', --')}.`, name)
  return (print) => command.run(print, { values, operands })
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

function unknownCommand(name: string): ServiceError {
  const near = suggest(name, COMMAND_NAMES)
  return usage(`Unknown command: ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`)
}

function usage(message: string, name?: string): ServiceError {
  const command = name === undefined ? 'svc-server' : `svc-server ${name}`
  return new ServiceError('INVALID_REQUEST', `${message}\nUse ${command} --help for more information.`)
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
