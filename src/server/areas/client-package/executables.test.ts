import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createExecutables, targetOf } from './executables.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-executables-'))
afterAll(() => rmSync(folder, { recursive: true }))
const bytes = Buffer.from('a program of two megabytes'.repeat(80_000))
const digest = createHash('sha256').update(bytes).digest('hex')
writeFileSync(join(folder, 'svc-1.2.3-linux-x64'), bytes)
const executables = createExecutables(folder, '1.2.3')

it('CL-04 an executable of this version beside the server is served whole, with its digest', async () => {
  expect(await executables.all()).toMatchObject([{ target: 'linux-x64', digest, bytes: bytes.length }])
  const response = await executables.serve('linux-x64', null)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(bytes.length),
    etag: `"${digest}"`,
  })
  expect(bytes.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
  expect((await executables.serve('linux-x64', `"${digest}"`)).status).toBe(304)
})

it('CL-04 an executable that is not there, or of another version, is refused with what to do', async () => {
  await expect(executables.serve('linux-arm64', null)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message:
      'This instance has no executable of the client for linux-arm64. Install the client with npm from /client.tgz. Or its operator puts svc-1.2.3-linux-arm64 of the release into the folder of the server and starts it again.',
  })
  expect(await createExecutables(folder, '1.2.4').all()).toEqual([])
})

it('CL-04 only the names of systems are executables', () => {
  expect(['linux-x64', 'linux-arm64', 'windows', '../svc-1.2.3-linux-x64'].map(targetOf)).toEqual([
    'linux-x64',
    'linux-arm64',
    undefined,
    undefined,
  ])
})
