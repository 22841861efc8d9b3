import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installCommand } from '#contract/client-package.ts'
import { VERSION_HEADER } from '#contract/core/version-header.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Cli } from '../command/command.ts'
import { differsByMinor } from '../terminal/versions.ts'

type Warn = (response: Response) => void
/** The day of the last warning by the address of the instance. */
type Warned = Record<string, string>

/**
 * Returns a function that warns if the answering instance is another minor version than this client, at most once a day
 * for each instance. A command whose errors are JSON prints no warning, because programs read its stderr too.
 */
export function warnOfVersion(
  apiUrl: string,
  { note, config, isForProgram }: Pick<Cli, 'note' | 'config' | 'isForProgram'>,
  now: () => number = Date.now,
): Warn {
  return ({ headers }) => {
    const instance = headers.get(VERSION_HEADER) ?? ''
    if (isForProgram || !differsByMinor(packageJson.version, instance)) return
    if (!isFirstToday(join(dirname(config.contextsFile), 'version-warnings.json'), apiUrl, now())) return
    note(
      `Warning: this client is ${packageJson.version}, and ${apiUrl} runs ${instance}. ` +
        `Install the client of this instance: ${installCommand(apiUrl)}`,
    )
  }
}

function isFirstToday(file: string, apiUrl: string, nowMs: number): boolean {
  const warned = readWarned(file)
  const today = new Date(nowMs).toISOString().slice(0, 10)
  if (warned[apiUrl] === today) return false
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify({ ...warned, [apiUrl]: today }), { mode: 0o600 })
  } catch {
    // Where nothing can be written, the warning is repeated instead of never shown.
  }
  return true
}

function readWarned(file: string): Warned {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}
