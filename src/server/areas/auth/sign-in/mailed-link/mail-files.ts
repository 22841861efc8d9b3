import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#lib/time/clock.ts'
import type { SystemMail } from '#ports/system-mail.ts'

const MAX_FILES = 100
const LIFETIME_MS = 15 * 60_000
const NOTE_FILE = 'not-mailed.txt'

/**
 * Sign-in mails as files in the data folder, where no mail server is configured. Anyone who reads one could sign in as
 * its recipient, so no page of an owner shows them.
 */
export type MailFiles = {
  write(mail: SystemMail): void
  /** Replaces the note about the last address that gets no mail, so that such addresses cannot fill the folder. */
  writeNote(email: string): void
}

/** Deletes the mails of an earlier start whose links have expired, and those that it had not finished. */
export function openMailFiles({ folder, clock }: { folder: string; clock: Clock }): MailFiles {
  const write = (name: string, text: string) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    writeWhole(folder, name, text)
    deleteOld(folder, clock.now())
  }
  if (existsSync(folder)) deleteOld(folder, clock.now())
  return {
    write: (mail) => write(`${stampOf(clock.now())}-${safeName(mail.to)}-${randomName()}.txt`, textOf(mail)),
    writeNote: (email) => write(NOTE_FILE, noteOf(email, clock.now())),
  }
}

function writeWhole(folder: string, name: string, text: string): void {
  const part = join(folder, `.${randomName()}.part`)
  writeFileSync(part, text, { mode: 0o600, flag: 'wx' })
  renameSync(part, join(folder, name))
}

/**
 * Deletes expired mails, those beyond the limit, and those that a killed process had not finished. The names of mails begin
 * with the time in a form that sorts, so the oldest come first.
 */
function deleteOld(folder: string, now: Date): void {
  const files = readdirSync(folder)
  const names = files.filter((name) => /^\d{8}T\d{6}Z-/.test(name)).sort()
  const unfinished = files.filter((name) => /^\.[0-9a-f]{8}\.part$/.test(name))
  const oldest = stampOf(new Date(now.getTime() - LIFETIME_MS))
  const expired = names.filter((name) => name < oldest)
  const surplus = names.slice(0, Math.max(0, names.length - MAX_FILES))
  for (const name of new Set([...expired, ...surplus, ...unfinished])) rmSync(join(folder, name), { force: true })
}

function stampOf(date: Date): string {
  return `${date.toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`
}

function safeName(email: string): string {
  return email.replace(/[^\w.@+-]/g, '_').slice(0, 100)
}

function randomName(): string {
  return randomBytes(4).toString('hex')
}

function textOf({ to, subject, paragraphs, action }: SystemMail): string {
  return `${[`To: ${to}\nSubject: ${subject}`, ...paragraphs, action?.link ?? ''].join('\n\n')}\n`
}

function noteOf(email: string, now: Date): string {
  return `${now.toISOString()}: somebody asked for a sign-in link for ${email}.

No mail was written. The address has neither an account without identity provider nor an open invitation.
`
}
