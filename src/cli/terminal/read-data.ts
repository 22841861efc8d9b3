import { readFile } from 'node:fs/promises'
import { ServiceError } from '#contract/core/errors.ts'
import type { Cli } from './cli.ts'

/** Returns what an option `--data` stands for: the text itself, `@file`, or `-` for standard input. */
export async function readData(data: string, cli: Cli): Promise<string> {
  if (data === '-' || data === '@-') return cli.readStdin()
  if (!data.startsWith('@')) return data
  return readFile(data.slice(1), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new ServiceError('INVALID_REQUEST', `Cannot read ${data.slice(1)}: ${cause.message}.`, { cause })
  })
}
