import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createPlace } from './places.ts'
import { refuseOtherSecrets, writeSecrets } from './secrets-file.ts'

describe('OP-05 files of a backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-place-'))
  const file = join(folder, 'b.age')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('OP-05 the beginning that a killed backup left is removed by the next one to the same file, and no other', async () => {
    const endedPid = spawnSync(process.execPath, ['--version']).pid
    const [left, running, other] = [
      `b.age.${endedPid}-01234567.part`,
      `b.age.${process.ppid}-01234567.part`,
      `other.age.${endedPid}-01234567.part`,
    ]
    for (const name of [left, running, other]) writeFileSync(join(folder, name), 'x')
    const place = await createPlace(file, {})
    expect(readdirSync(folder).filter((name) => !name.startsWith(`b.age.${process.pid}-`))).toEqual([running, other])
    await new Promise<void>((done) => place.to.end('whole', () => done()))
    await place.finish()
    expect(readdirSync(folder)).toEqual(['b.age', running, other])
  })

  it('OP-05 a second restore accepts the secrets that the first one wrote, and refuses a file with others', () => {
    const secrets = join(folder, 'secrets.env')
    refuseOtherSecrets(secrets, 'A=1\n')
    writeSecrets(secrets, 'A=1\n')
    refuseOtherSecrets(secrets, 'A=1\n')
    expect(() => refuseOtherSecrets(secrets, 'A=2\n')).toThrow('Name another file for the secrets with --secrets-to.')
  })
})
