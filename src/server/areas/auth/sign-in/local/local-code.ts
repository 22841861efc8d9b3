import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { equalSecrets } from '#lib/crypto/keys.ts'
import type { Clock } from '#lib/time/clock.ts'

/** A link with a code stands in logs of the start and in shells, so it is of no use after this time. */
const LIFETIME_MS = 15 * 60_000

/** The one-time code of local sign-in. Anyone who can use the data folder may sign in as its owner. */
export type LocalCode = {
  /** Returns true if `code` is the one in the file and at most 15 minutes old, and replaces it by a new one. */
  use(code: string): boolean
  /** Replaces a code that is too old, so that the file has one that works. */
  renew(): void
  ownerEmail(): string | undefined
}

type Options = { readonly file: string; readonly clock: Clock; readonly ownerEmail: () => string | undefined }

/** Writes a new code to the file at each start, so that a code that leaked earlier is worthless. */
export function openLocalCode({ file, clock, ownerEmail }: Options): LocalCode {
  let written = writeCode(file, clock)
  const isOld = ({ at }: Written) => clock.now().getTime() - at.getTime() >= LIFETIME_MS
  const replace = () => {
    written = writeCode(file, clock)
  }
  return {
    ownerEmail,
    renew: () => {
      if (isOld(readCode(file, written))) replace()
    },
    use: (code) => {
      const current = readCode(file, written)
      const isRight = equalSecrets(code, current.code) && !isOld(current)
      if (isRight || isOld(current)) replace()
      return isRight
    },
  }
}

type Written = { readonly code: string; readonly at: Date }

/** `svc console` writes a code of its own to the file, as whoever may use the data folder can. */
function readCode(file: string, written: Written): Written {
  if (!existsSync(file)) return written
  const code = readFileSync(file, 'utf8').trim()
  return code === written.code || code.length < 32 ? written : { code, at: statSync(file).mtime }
}

function writeCode(file: string, clock: Clock): Written {
  const code = randomBytes(16).toString('hex')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.part`, `${code}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
  return { code, at: clock.now() }
}
