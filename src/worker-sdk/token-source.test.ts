import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenSource } from './token-source.ts'

describe('where a worker’s token comes from', () => {
  let folder: string
  let file: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-worker-'))
    file = join(folder, 'token')
    writeFileSync(join(folder, 'one'), 'token-1\n')
    symlinkSync('one', file)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('AU-16 SERVER_API_TOKEN always wins, and the file is not even looked at', async () => {
    const unread = () => Promise.reject(new Error('read'))
    const env = { SERVER_API_TOKEN: ' svc_own ', SVC_WORKLOAD_TOKEN_FILE: file }
    expect(await createTokenSource({ env, readFile: unread })()).toBe('svc_own')
  })

  it('AU-16 without it the projected file, each time as it is now', async () => {
    const token = createTokenSource({ env: { SERVER_API_TOKEN: '', SVC_WORKLOAD_TOKEN_FILE: file } })
    expect(await token()).toBe('token-1')
    writeFileSync(join(folder, 'two'), 'token-2\n')
    symlinkSync('two', join(folder, 'next'))
    await rename(join(folder, 'next'), file)
    expect(await token()).toBe('token-2')
  })

  it('AU-16 the file is where the chart projects it', async () => {
    expect(await createTokenSource({ env: {}, readFile: async (path) => path })()).toBe('/var/run/secrets/svc/token')
  })

  it('AU-16 with neither, the error says what to set', async () => {
    const missing = createTokenSource({ env: { SVC_WORKLOAD_TOKEN_FILE: join(folder, 'nothing') } })
    await expect(missing()).rejects.toMatchObject({
      message:
        `No token to authenticate with: ${join(folder, 'nothing')} cannot be read. Set SERVER_API_TOKEN to an API token, ` +
        'or deploy with workload identity, which writes the token file.',
      cause: { code: 'ENOENT' },
    })
  })

  it('AU-16 an empty file is no token', async () => {
    const empty = createTokenSource({ env: {}, readFile: async () => ' \n' })
    await expect(empty()).rejects.toThrow('/var/run/secrets/svc/token is empty. Set SERVER_API_TOKEN')
  })
})
