import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInLine } from './sign-in-line.ts'

describe('OP-01 the line of the start that says how to sign in', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-line-'))
    writeFileSync(join(folder, 'sign-in-code'), 'c0de\n')
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const line = (url: string) => signInLine(url, join(folder, 'sign-in-code'))

  it('is a link with the code in its fragment, and the file that has the code', () => {
    expect(line('http://127.0.0.1:8080')).toBe(
      `open http://127.0.0.1:8080/#sign-in=c0de to sign in (works once, for 15 minutes; npx svc console prints another link; the code is in ${join(folder, 'sign-in-code')})`,
    )
  })

  it('contains no code where the address is not of this machine, because local sign-in refuses it there', () => {
    expect(line('https://svc.example.com')).toBe(
      `sign in on this machine at /auth/local with the code in ${join(folder, 'sign-in-code')}`,
    )
  })
})
