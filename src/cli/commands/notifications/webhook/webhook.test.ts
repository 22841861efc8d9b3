import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signWebhook } from '#contract/notifications/webhook-request.ts'
import { freePort } from '#test/free-port.ts'
import { runSvc, startSvc } from '#test/programs/cli-run.ts'
import { until } from '#test/until.ts'
import { DIGESTS } from './digests.ts'

const ID = 'ntf_01jd8y0v7wf9hbq7s7x2e3m4n5'
const URL_TYPED = 'https://hooks.example.com/in/Vf7Qk2Zp9xLw4TnB'

const SECRET = 'whsec_c3ZjLWV4YW1wbGUtc2VjcmV0LWZvci1kb2NzLTAwMDE='
const OTHER_SECRET = 'whsec_YW5vdGhlci1zZWNyZXQtb2YtYW5vdGhlci1ob29rMDA='

type Request = { type: string; verdict: string; notifications: { id: string; event_type: string }[] }

/** A receiver that ends after so many requests. */
async function startReceiver(count: number, options: Parameters<typeof startSvc>[1] = {}, words: string[] = []) {
  const svc = startSvc(['notifications', 'webhook-receiver', '--json', '--count', String(count), ...words], options)
  const url = await until(() => /"url":"([^"]+)"/.exec(svc.output())?.[1])
  const requests = () => {
    const lines = svc.output().trimEnd().split('\n').slice(1)
    return lines.map((line) => JSON.parse(line) as Request)
  }
  return { ...svc, url, requests }
}

const sample = (url: string, ...words: string[]) => runSvc(['notifications', 'webhook-sample', url, ...words])

describe('NO-20 a webhook can be tried on one machine', () => {
  it('a sample reaches the receiver of another terminal, whose address is fresh, and its signature is right', async () => {
    const receiver = await startReceiver(1)
    expect(receiver.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/in\/[\w-]{24}$/)
    const sent = await sample(receiver.url, '--id', ID)
    expect(sent).toMatchObject({ exit: 0, stdout: `Sent ${ID}. The answer is 200: svc would count it as delivered.\n` })
    expect(await receiver.exit).toBe(0)
    expect(receiver.requests()).toMatchObject([
      { verdict: 'right', notifications: [{ id: ID, event_type: 'deploy.failed', app: 'shop' }] },
    ])
  })

  it('a repeated id, another key and a missing signature are reported, and the receiver then exits with 1', async () => {
    const receiver = await startReceiver(4)
    await sample(receiver.url, '--id', ID)
    expect(await sample(receiver.url, '--id', ID)).toMatchObject({ exit: 0 })
    expect(await sample(receiver.url, '--signing-url', URL_TYPED)).toMatchObject({
      exit: 1,
      stdout: expect.stringContaining('The answer is 401: svc would not count it as delivered.'),
    })
    await fetch(receiver.url, { method: 'POST', body: '[]' })
    expect(await receiver.exit).toBe(1)
    expect(receiver.requests().map(({ verdict }) => verdict)).toEqual([
      'right',
      'repeated',
      'wrong_signature',
      'no_signature',
    ])
  })

  it('an old timestamp, a body that is no list of notifications, a large body and a GET are refused', async () => {
    const receiver = await startReceiver(4)
    const post = (body: string, at: Date) => {
      const headers = signWebhook(DIGESTS, receiver.url, body, at)
      return fetch(receiver.url, { method: 'POST', headers, body })
    }
    const statuses = [
      (await post('[]', new Date(Date.now() - 301_000))).status,
      (await post('[]', new Date())).status,
      (await post('x'.repeat(1024 * 1024 + 1), new Date())).status,
      (await fetch(receiver.url)).status,
    ]
    expect(statuses).toEqual([401, 400, 413, 405])
    expect(await receiver.exit).toBe(1)
    const verdicts = receiver.requests().map(({ verdict }) => verdict)
    expect(verdicts).toEqual(['stale', 'not_readable', 'too_large', 'wrong_method'])
  })

  it('both take the URL of a real webhook from the environment or standard input, and print it nowhere', async () => {
    const port = await freePort()
    const env = { SVC_WEBHOOK_URL: URL_TYPED }
    const receiver = await startReceiver(2, { env }, ['--port', String(port)])
    const words = ['notifications', 'webhook-sample', `http://127.0.0.1:${port}/tunnel`]
    const fromInput = await runSvc([...words, '--signing-url', '-'], { stdin: `${URL_TYPED}\n` })
    const fromEnvironment = await runSvc(words, { env })
    expect([fromInput.exit, fromEnvironment.exit]).toEqual([0, 0])
    expect(await receiver.exit).toBe(0)
    const printed = await runSvc([...words, '--print'], { env })
    for (const text of [receiver.output(), printed.stdout, fromInput.stderr])
      expect(text).not.toContain('Vf7Qk2Zp9xLw4TnB')
  })

  it('NO-17 both take a secret of Standard Webhooks, and the receiver then checks those headers', async () => {
    const receiver = await startReceiver(3, { env: { SVC_WEBHOOK_SECRET: SECRET } })
    expect(await sample(receiver.url, '--secret', SECRET)).toMatchObject({ exit: 0 })
    const words = ['notifications', 'webhook-sample', receiver.url, '--secret', '-']
    expect(await runSvc(words, { stdin: `${OTHER_SECRET}\n` })).toMatchObject({ exit: 1 })
    expect(await sample(receiver.url)).toMatchObject({ exit: 1 })
    expect(await receiver.exit).toBe(1)
    expect(receiver.requests().map(({ verdict }) => verdict)).toEqual([
      'right',
      'wrong_standard_signature',
      'no_standard_signature',
    ])
  })

  it('NO-17 the receiver accepts one right signature of two, and --print hides the secret', async () => {
    const receiver = await startReceiver(1, {}, ['--secret', SECRET])
    const printed = await sample(receiver.url, '--print', '--json', '--secret', SECRET)
    const { headers, body, signature } = JSON.parse(printed.stdout)
    expect(signature.standard).toContain('For Standard Webhooks the key is the base64 after whsec_')
    expect(printed.stdout).not.toContain(SECRET.slice(6))
    expect(() => new Webhook(SECRET).verify(body, headers)).not.toThrow()
    headers['webhook-signature'] = `v1,AAAA ${headers['webhook-signature']}`
    expect((await fetch(receiver.url, { method: 'POST', headers, body })).status).toBe(200)
    expect(await receiver.exit).toBe(0)
  })

  it('--print shows the request and how it was signed, and sends nothing', async () => {
    const { exit, stdout } = await sample(URL_TYPED, '--print', '--json')
    const { headers, body, signature, ...request } = JSON.parse(stdout)
    expect([exit, request]).toEqual([0, { method: 'POST', url: URL_TYPED }])
    expect(signature.key).toContain('58ce3993f8fba4ca3acb913d83e61e36e6226949ac05b3628263cb39e3624c5c in hex')
    const at = new Date(Number(headers['x-svc-timestamp']) * 1000)
    expect(headers).toMatchObject({ 'content-type': 'application/json', ...signWebhook(DIGESTS, URL_TYPED, body, at) })
    expect(JSON.parse(body)).toHaveLength(1)
    expect((await sample(URL_TYPED, '--print')).stdout).toMatch(/^POST https:.+\n1\. .+\n2\. .+\n3\. .+\n$/s)
  })

  it('a redirect is not followed and counts as not delivered', async () => {
    const server = createServer((_, response) => response.writeHead(307, { location: '/other' }).end()).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    const { stdout, exit } = await sample(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect([exit, stdout]).toEqual([1, expect.stringContaining('The answer is 307')])
    server.close()
  })

  it.each([
    [['ftp://127.0.0.1/'], 5, 'The URL must begin with http:// or https:// and name a host.'],
    [['http://127.0.0.1/ a'], 5, 'The URL contains a blank or an invisible character. Remove it.'],
    [['http://127.0.0.1/', '--id', 'ntf_1'], 5, '--id must be an id such as ntf_0'],
    [['http://127.0.0.1/', '--signing-url', 'nowhere'], 5, 'The URL must begin with http://'],
    [['http://127.0.0.1/', '--secret', 'whsec_c2hvcnQ='], 5, 'The secret must be whsec_ and 24 to 64 bytes in base64'],
    [['http://127.0.0.1/', '--secret', SECRET.slice(6)], 5, 'The secret must be whsec_ and 24 to 64 bytes in base64'],
    [['http://127.0.0.1/', '--secret', '-', '--signing-url', '-'], 5, 'Only one of --signing-url and --secret'],
    [['http://127.0.0.1:1/'], 1, 'Check the address, and that a program listens there, then try again.\n'],
  ])('svc notifications webhook-sample %s exits with %i', async (words, exit, message) => {
    const refused = await runSvc(['notifications', 'webhook-sample', ...words])
    expect(refused).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('a port that is in use is refused with the next step', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = String((server.address() as AddressInfo).port)
    const refused = await runSvc(['notifications', 'webhook-receiver', '--port', port])
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining('Choose another one with --port.') })
    server.close()
  })
})
