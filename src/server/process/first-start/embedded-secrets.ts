import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HEX_KEY } from '#lib/crypto/keys.ts'
import { ConfigError } from '../../config/reader.ts'
import type { OwnSecrets } from '../../config/secrets.ts'

/** Returns the secrets of the embedded default, generated once and stored in a private file of the data folder. */
export function loadOrMakeSecrets(dataDir: string): OwnSecrets {
  const file = join(dataDir, 'secrets.json')
  const stored = existsSync(file) ? readSecrets(file) : {}
  const secrets = { ...makeSecrets(), ...stored }
  // The file of an earlier release lacks secrets that were added later.
  if (Object.keys(stored).length < Object.keys(secrets).length) writePrivate(file, secrets)
  return secrets
}

/** Returns the stored secrets, or undefined if there is no file. Makes nothing. Throws ConfigError for a damaged file. */
export function findSecrets(dataDir: string): Partial<OwnSecrets> | undefined {
  const file = join(dataDir, 'secrets.json')
  return existsSync(file) ? readSecrets(file) : undefined
}

/** Checks the data keys, because people edit them by hand to change the key. */
function readSecrets(file: string): Partial<OwnSecrets> {
  let stored: Partial<OwnSecrets>
  try {
    stored = JSON.parse(readFileSync(file, 'utf8')) as Partial<OwnSecrets>
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new ConfigError([`${file} is not valid JSON: correct it, or restore it from a backup`])
  }
  const keys: unknown = stored.dataKeys
  const isValid = Array.isArray(keys) && keys.length > 0 && keys.every((key) => HEX_KEY.test(String(key)))
  if (keys !== undefined && !isValid)
    throw new ConfigError([`dataKeys in ${file} must be a list of keys of 64 hex digits, the current one first`])
  return stored
}

function makeSecrets(): OwnSecrets {
  const key = () => randomBytes(32).toString('hex')
  return {
    jwtSecret: key(),
    jwtSigningKey: key(),
    dataKeys: [key()],
    operatorToken: `svcop_${randomBytes(32).toString('base64url')}`,
    internalSecret: key(),
    actorAssertionSecret: key(),
  }
}

/** Writes a file that only its owner can read. A killed process leaves the former file or the whole new one. */
export function writePrivate(file: string, value: unknown): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.part`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
}
