import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { linkMail } from './link-mail.ts'
import { openMailFiles } from './mail-files.ts'

const MINUTE_MS = 60_000

describe('sign-in mails as files', () => {
  let root: string
  let folder: string
  const clock = testClock()
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-mail-files-'))
    folder = join(root, 'sign-in-mails')
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const mailTo = (to: string) =>
    linkMail({
      to,
      token: 'svcl_token',
      hash: Buffer.alloc(32),
      signInUrl: 'https://svc.example.com',
      expires_at: clock.now(),
    })
  const names = () => readdirSync(folder).sort()
  const modeOf = (path: string) => statSync(path).mode & 0o777

  it('AU-21 only the operator can read a mail, also in a folder that others could read before', () => {
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    openMailFiles({ folder, clock }).write(mailTo('ada@example.com'))
    const [name] = names()
    expect(name).toMatch(/^20260101T000000Z-ada@example\.com-[0-9a-f]{8}\.txt$/)
    expect([modeOf(folder), modeOf(join(folder, name!))]).toEqual([0o700, 0o600])
    expect(readFileSync(join(folder, name!), 'utf8')).toBe(`To: ada@example.com
Subject: Sign in to svc.example.com

Somebody asked to sign in to svc.example.com with the address ada@example.com.

If it was you, open the link in the same browser within 15 minutes. It works once.

If it was not you, ignore this mail. In another browser the link signs nobody in.

https://svc.example.com/auth/mailed-link/svcl_token
`)
  })

  it('AU-21 an address cannot name a file elsewhere', () => {
    openMailFiles({ folder, clock }).write(mailTo('../../ada/x@example.com'))
    expect(names()).toEqual([expect.stringContaining('-.._.._ada_x@example.com-')])
  })

  it('AU-21 mails are deleted after 15 minutes, at the next mail and at the next start', () => {
    const files = openMailFiles({ folder, clock })
    files.write(mailTo('first@example.com'))
    clock.advance(15 * MINUTE_MS)
    files.write(mailTo('second@example.com'))
    expect(names()).toHaveLength(2)
    clock.advance(MINUTE_MS)
    files.write(mailTo('third@example.com'))
    expect(names().map((name) => name.split('-')[1])).toEqual(['second@example.com', 'third@example.com'])
    clock.advance(16 * MINUTE_MS)
    openMailFiles({ folder, clock })
    expect(names()).toEqual([])
  })

  it('AU-21 a mail that a killed process had half written is deleted at the next mail and at the next start', () => {
    const files = openMailFiles({ folder, clock })
    files.write(mailTo('first@example.com'))
    writeFileSync(join(folder, '.0123abcd.part'), 'To: ada@example.com')
    writeFileSync(join(folder, 'notes.part'), 'of the operator')
    files.writeNote('nobody@example.com')
    expect(names()).toEqual([expect.stringContaining('-first@'), 'not-mailed.txt', 'notes.part'])
    writeFileSync(join(folder, '.4567abcd.part'), 'To: ada@example.com')
    openMailFiles({ folder, clock })
    expect(names()).toEqual([expect.stringContaining('-first@'), 'not-mailed.txt', 'notes.part'])
  })

  it('AU-21 at most 100 mails and one note about addresses without a mail are in the folder', () => {
    const files = openMailFiles({ folder, clock })
    for (let n = 0; n < 105; n++) {
      clock.advance(1000)
      files.write(mailTo(`p${n}@example.com`))
      files.writeNote(`nobody${n}@example.com`)
    }
    expect(names()).toHaveLength(101)
    expect(names()[0]).toContain('-p5@example.com-')
    expect(readFileSync(join(folder, 'not-mailed.txt'), 'utf8')).toContain('a sign-in link for nobody104@example.com.')
    expect(modeOf(join(folder, 'not-mailed.txt'))).toBe(0o600)
  })
})
