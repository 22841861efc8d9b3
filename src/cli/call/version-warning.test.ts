import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { readConfig } from '../command/config.ts'
import { warnOfVersion } from './version-warning.ts'

const own = packageJson.version

describe('CL-06 an instance of another version', () => {
  let server: Server
  let url: string
  let folder: string
  let version: string | undefined
  beforeAll(async () => {
    server = createServer((_, response) => {
      const headers = { 'content-type': 'application/json', ...(version && { 'x-svc-version': version }) }
      response.writeHead(200, headers).end(JSON.stringify({ items: [], next_cursor: null }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-version-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const file = () => join(folder, 'svc', 'version-warnings.json')
  const svc = (instance: string | undefined, ...args: string[]) => {
    version = instance
    return runSvc(args, { env: { SVC_API_URL: url, SVC_API_KEY: 'svc_key', SVC_CONFIG_DIR: folder } })
  }
  const WARNING = () =>
    `Warning: this client is ${own}, and ${url} runs 99.1.0. Install the client of this instance: npm install -g ${url}/client.tgz\n`

  it('is warned of on stderr, with the install line of the instance, once', async () => {
    expect(await svc('99.1.0', 'db', 'list')).toMatchObject({ exit: 0, stderr: expect.stringContaining(WARNING()) })
    expect((await svc('99.1.0', 'db', 'list')).stderr).not.toContain('Warning')
  })

  it('is warned of again on another day', () => {
    const lines: string[] = []
    const config = readConfig({ SVC_CONFIG_DIR: folder })
    let day = Date.parse('2026-03-01T23:59:00Z')
    const warn = warnOfVersion(url, { note: (line) => lines.push(line), config, isForProgram: false }, () => day)
    const answer = new Response(null, { headers: { 'x-svc-version': '99.1.0' } })
    warn(answer)
    warn(answer)
    expect(lines).toHaveLength(1)
    day += 60_000
    warn(answer)
    expect(lines).toHaveLength(2)
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ [url]: '2026-03-02' })
  })

  it('leaves programs alone: JSON output and completion print nothing of it', async () => {
    expect((await svc('99.1.0', 'db', 'list', '--json')).stderr).not.toContain('Warning')
    expect(await svc('99.1.0', 'complete', 'databases')).toEqual({ exit: 0, stdout: '', stderr: '' })
    expect(existsSync(file())).toBe(false)
  })

  it('is warned of where the file of warnings is damaged', async () => {
    await svc('99.1.0', 'db', 'list')
    writeFileSync(file(), 'not JSON')
    expect((await svc('99.1.0', 'db', 'list')).stderr).toContain(WARNING())
  })

  it.each([
    ['sends no version', undefined],
    ['has the same one', own],
    ['differs by the third number only', own.replace(/\d+$/, '99')],
    ['sends no version number', 'newest'],
    ['sends more than a version', '99.1.0 of something'],
  ])('is not warned of where it %s', async (_, instance) => {
    expect((await svc(instance, 'db', 'list')).stderr).not.toContain('Warning')
  })
})
