import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ERRORS, ServiceError } from '#contract/core/errors.ts'
import { DataKeyRefused } from '#lib/crypto/data-keys.ts'
import { FolderInUse } from '#lib/folder-lock.ts'
import { ConfigError, environment } from './config/reader.ts'
import { assets } from './process/assets.ts'
import { startFault } from './process/start-fault.ts'

const HELP = `svc-server: maintenance of a svc server, run with the same variables as the server itself.

Usage:
  svc-server reseal      seals every stored secret under the current data key (SVC_DATA_KEY)
  svc-server --help
  svc-server --version

reseal is the last step of changing the data key: afterwards former keys can be removed from
SVC_DATA_KEYS_FORMER. It may be interrupted and repeated. On Postgres it runs beside the server; on the
embedded database stop the server first. See docs/running.md, "Changing the data key".

Exit codes: 0 done, 1 unexpected, 4 no database in the data folder, 5 wrong usage or configuration,
6 the data folder is in use, or values are left under another key.
`

/** The exit code; what went wrong is on standard error. */
async function run(args: readonly string[]): Promise<number> {
  try {
    const command = readCommand(args)
    if (command === 'help') process.stdout.write(HELP)
    else if (command === 'version') process.stdout.write(`${readVersion()}\n`)
    else await runReseal()
    return 0
  } catch (error) {
    const known = toServiceError(error)
    process.stderr.write(`svc-server: ${known.message}\n`)
    return ERRORS[known.code].exit
  }
}

/** Loaded only here: it brings the whole server along, which help need not wait for. */
async function runReseal(): Promise<void> {
  const { reseal } = await import('./process/reseal.ts')
  await reseal(environment(), (line) => process.stdout.write(`${line}\n`))
}

function readCommand(args: readonly string[]): 'help' | 'version' | 'reseal' {
  const options = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } } as const
  const { values, positionals } = parse(() => parseArgs({ args: [...args], options, allowPositionals: true }))
  if (values.version) return 'version'
  const [command = 'help', ...rest] = positionals
  if (values.help || command === 'help') return 'help'
  if (command !== 'reseal' || rest.length > 0) throw usage(`unknown command: ${positionals.join(' ')}`)
  return command
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

function usage(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${message}\nsvc-server --help shows what it takes.`)
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof FolderInUse) return new ServiceError('CONFLICT', `${error.message}: stop the server first`)
  if (error instanceof ConfigError || error instanceof DataKeyRefused)
    return new ServiceError('INVALID_REQUEST', error.message)
  return new ServiceError('INTERNAL', startFault(error, { host: '', port: 0, dataDir: '' }))
}

function readVersion(): string {
  return (JSON.parse(readFileSync(assets.packageJson(), 'utf8')) as { version: string }).version
}

process.exitCode = await run(process.argv.slice(2))
