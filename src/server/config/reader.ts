import type { z } from 'zod'
import { faultText } from '#edge/format/fault-text.ts'
import { HEX_KEY } from '#lib/crypto/keys.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Every fault of the configuration, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/** Returns the environment of this process. Nothing else in the server reads it. */
export function environment(): Environment {
  return process.env
}

/**
 * Reads settings by name and collects faults instead of throwing, so that all of them are reported at once. It records
 * each name it is asked for: these names are the settings of svc, and no other list of them exists. Code that reads a
 * setting must therefore ask for it on every path, also where the value is then not used.
 *
 * A value that is empty or only spaces counts as not set.
 */
export class EnvironmentReader {
  readonly #env: Environment
  readonly #faults: string[] = []
  readonly #names = new Set<string>()

  constructor(env: Environment) {
    this.#env = env
  }

  get faults(): readonly string[] {
    return this.#faults
  }

  /** The names asked for so far. */
  get names(): ReadonlySet<string> {
    return this.#names
  }

  fault(text: string): void {
    this.#faults.push(text)
  }

  text(name: string): string | undefined {
    return this.textOrEmpty(name) || undefined
  }

  /** Returns '' for a variable that is set to nothing, and undefined only for one that is absent. */
  textOrEmpty(name: string): string | undefined {
    this.#names.add(name)
    return this.#env[name]?.trim()
  }

  /** Splits at commas and drops empty items. */
  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  /** Reads a JSON list. An entry that has not the shape of `entry` is undefined, and its faults are reported. */
  jsonList<T>(name: string, entry: z.ZodType<T>, keys: string): (T | undefined)[] {
    const text = this.text(name)
    if (text === undefined) return []
    const list = parseList(text)
    if (!list) this.fault(`${name} must be a JSON list of ${keys}`)
    return (list ?? []).map((value, i) => {
      const { data, error } = entry.safeParse(value)
      for (const issue of error?.issues ?? []) {
        this.fault(`${name} ${[`entry ${i + 1}`, ...issue.path].join('.')} ${entryFault(issue)}`)
      }
      return data
    })
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    this.fault(`${name} must be a whole number from ${min} to ${max}`)
    return fallback
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.text(name)
    const found = choices.find((choice) => choice === text)
    if (text !== undefined && !found) this.fault(`${name} must be one of ${choices.join(', ')}`)
    return found ?? fallback
  }

  flag(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true'
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      this.fault(`${name} must be an address beginning with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return text
  }

  /** Reads the id and the secret, which are set together or not at all. */
  client(name: 'GOOGLE' | 'MICROSOFT' | 'OIDC' | 'SLACK') {
    const clientId = this.text(`SVC_${name}_CLIENT_ID`)
    const clientSecret = this.text(`SVC_${name}_CLIENT_SECRET`)
    if (clientId && clientSecret) return Object.freeze({ clientId, clientSecret })
    if (clientId) this.fault(`SVC_${name}_CLIENT_ID requires SVC_${name}_CLIENT_SECRET`)
    if (clientSecret) this.fault(`SVC_${name}_CLIENT_SECRET requires SVC_${name}_CLIENT_ID`)
    return undefined
  }

  /** Reads a key of 32 bytes, written as hex. */
  key(name: string): string | undefined {
    const text = this.text(name)
    if (text !== undefined && !HEX_KEY.test(text)) this.fault(`${name} must be 32 bytes as 64 hex digits`)
    return text
  }
}

function parseList(text: string): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : undefined
  } catch {
    // The parser's message quotes the text, which holds API keys and passwords, so it is dropped.
    return undefined
  }
}

function entryFault(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'has an unknown key'
  return issue.path.length === 0 && issue.code === 'invalid_type' ? 'must be an object' : faultText(issue)
}
