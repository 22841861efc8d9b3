import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { equalSecrets } from '#lib/crypto/keys.ts'

/** The one-time code of local sign-in. Anyone who can read the data folder may sign in as its owner. */
export type LocalCode = {
  /** Returns true if `code` is the one in the file, and replaces it by a new one. */
  use(code: string): boolean
  ownerEmail(): string | undefined
}

/** Writes a new code to the file at each start, so that a code that leaked earlier is worthless. */
export function openLocalCode(file: string, ownerEmail: () => string | undefined): LocalCode {
  let current = writeCode(file)
  return {
    ownerEmail,
    use: (code) => {
      if (!equalSecrets(code, current)) return false
      current = writeCode(file)
      return true
    },
  }
}

function writeCode(file: string): string {
  const code = randomBytes(16).toString('hex')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.part`, `${code}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
  return code
}
