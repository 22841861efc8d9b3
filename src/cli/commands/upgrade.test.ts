import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const own = packageJson.version

describe('CL-07 svc upgrade --check', () => {
  let server: Server
  let url: string
  let version = own
  const paths: string[] = []

  beforeAll(async () => {
    server = createServer(({ url: path }, response) => {
      paths.push(path!)
      const body = { status: 'ok', services: ['api-gateway'], version }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const check = (instance: string, ...flags: string[]) => {
    version = instance
    return runSvc(['upgrade', '--check', ...flags], { env: { SVC_API_URL: url, SVC_API_KEY: 'svc_key' } })
  }

  it.each([
    ['the same version', own, 0, 'same', 'There is nothing to do.'],
    ['a newer instance', '99.0.0', 11, 'older', 'Install the client of 99.0.0: npm install -g http://127.0.0.1:'],
    ['an instance that is newer by its third number only', '0.10.10', 11, 'older', 'Install the client of 0.10.10'],
    ['an older instance', '0.0.9', 0, 'newer', 'Its operator can upgrade it'],
    ['a version with a suffix', `${own}-rc.1`, 0, 'same', 'There is nothing to do.'],
  ])('%s is reported in words and as JSON, with an exit code', async (_, instance, exit, state, text) => {
    const words = await check(instance)
    expect(words).toMatchObject({ exit, stderr: '' })
    expect(words.stdout).toContain(text)
    const { stdout, ...rest } = await check(instance, '--json')
    expect(rest).toEqual({ exit, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ client: own, instance, api_url: url, client_is: state })
  })

  it('asks the instance of the login for its health, and for nothing else', async () => {
    paths.length = 0
    await check(own)
    expect(paths).toEqual(['/healthz'])
  })

  it('an instance that does not answer is exit 1 with what to do', async () => {
    const env = { SVC_API_URL: 'http://127.0.0.1:1', SVC_API_KEY: 'svc_key' }
    const { exit, stdout, stderr } = await runSvc(['upgrade', '--check'], { env })
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
    expect(stderr).toContain('Check the address with svc status, then try again.')
  })

  it('without a login is exit 3', async () => {
    expect(await runSvc(['upgrade', '--check'])).toMatchObject({ exit: 3, stdout: '' })
  })

  it('without --check upgrades nothing and is exit 5', async () => {
    const { exit, stderr } = await runSvc(['upgrade'], { env: { SVC_API_URL: url, SVC_API_KEY: 'svc_key' } })
    expect(exit).toBe(5)
    expect(stderr).toContain('svc does not upgrade itself. Use --check to see whether there is a newer version.')
  })
})
