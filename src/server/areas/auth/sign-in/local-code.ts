import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { equalSecrets } from '#lib/crypto/keys.ts'

/** The one-time code of local sign-in: who can read the data folder may sign in as its owner. */
export type LocalCode = {
  /** True once for the code in the file; a new one then stands there. */
  use(code: string): boolean
  ownerEmail(): string | undefined
}

/** A new code at each start, so that an old one seen somewhere is worth nothing. */
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
