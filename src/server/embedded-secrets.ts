import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Secrets } from './config.ts'

/** Secrets of the embedded default: made once, kept in the data folder for its owner only. */
export function loadOrMakeSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json')
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : {}
  const secrets = { ...makeSecrets(), ...kept }
  // A folder made before a secret existed gets it now.
  if (Object.keys(kept).length < Object.keys(secrets).length) writePrivate(file, secrets)
  return secrets
}

function makeSecrets(): Secrets {
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

/** Whole or not at all: a start that is killed half-way must not leave half a file. */
export function writePrivate(file: string, value: unknown): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.part`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
}
