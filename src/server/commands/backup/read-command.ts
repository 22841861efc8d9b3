import { ServiceError } from '#contract/core/errors.ts'
import { limitYoungMemory } from '#lib/memory/limit-young-memory.ts'
import { environment } from '../../config/reader.ts'
import { printError } from '../../process/output.ts'
import { STANDARD_OUTPUT } from './address.ts'

type Print = (line: string) => void
type Input = {
  readonly values: {
    readonly 'max-hours'?: string
    readonly 'public-key'?: readonly string[]
    readonly 'key-file'?: string
    readonly 'secrets-to'?: string
    readonly 'without-missing'?: boolean
    readonly 'keep-port'?: boolean
  }
  readonly operands: readonly string[]
}

/** How long one managed database may take, in hours. */
const DEFAULT_HOURS = 6

export async function backupCommand(print: Print, { values, operands }: Input): Promise<void> {
  const [action = '', ...rest] = operands
  const options = { ...keyOptions(values), maxHours: readHours(values['max-hours']) }
  if (action === 'key' && rest.length === 0) return (await import('./command.ts')).printKeyPair(print)
  if (action === 'scheduled' && rest.length === 0) {
    return (await import('./scheduled.ts')).runScheduled(environment(), print, options.maxHours)
  }
  if (action === 'verify' && rest.length === 1) {
    return (await import('./verify.ts')).runVerify(environment(), print, rest[0]!, options)
  }
  if (rest.length > 0) throw usage(`Unknown command: backup ${operands.join(' ')}.`)
  // Standard output is the backup itself.
  const report = action === STANDARD_OUTPUT ? printError : print
  limitYoungMemory()
  return (await import('./command.ts')).runBackup(environment(), report, action, options)
}

export async function restoreCommand(print: Print, { values, operands: [address = ''] }: Input): Promise<void> {
  const options = {
    ...keyOptions(values),
    maxHours: readHours(values['max-hours']),
    secretsTo: values['secrets-to'],
    withoutMissing: values['without-missing'] ?? false,
    keepPort: values['keep-port'] ?? false,
  }
  return (await import('./restore.ts')).runRestore(environment(), print, address, options)
}

function keyOptions(values: Input['values']) {
  return { keyFile: values['key-file'], publicKeys: values['public-key'] ?? [] }
}

function readHours(text: string | undefined): number {
  if (text === undefined) return DEFAULT_HOURS
  if (!/^(?:[1-9]\d?|[1-4]\d\d)$/.test(text)) throw usage('--max-hours is a number of hours from 1 to 499.')
  return Number(text)
}

function usage(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${message}\nUse svc-server backup --help for more information.`)
}
