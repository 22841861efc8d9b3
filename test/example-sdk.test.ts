import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { EXAMPLE_SDK, exampleSdk } from '../scripts/example-sdk.ts'

it('OP-01 the worker SDK in the example app is the one that the sources make', async () => {
  const isCurrent = readFileSync(EXAMPLE_SDK, 'utf8') === (await exampleSdk())
  // The text is too long to be shown.
  expect(isCurrent, 'the packed SDK is out of date: run npm run example:sdk').toBe(true)
})

it.each([
  ['http://svc.test:8080', 'svc.test:8080'],
  ['https://svc.test', 'svc.test:443'],
])('MA-15 the worker SDK in an app reaches %s through the proxy of its sandbox', async (apiUrl, target) => {
  const proxy = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await once(proxy, 'listening')
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const program = `
    import { createWorker } from ${JSON.stringify(EXAMPLE_SDK)}
    createWorker({ onError: () => {} }).function('greet', {}, () => 'hi').start()`
  const env = { HTTP_PROXY: address, HTTPS_PROXY: address, NODE_USE_ENV_PROXY: '1' }
  const app = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env, SVC_API_URL: apiUrl, SVC_APP: 'hello', SERVER_API_TOKEN: 'unused' },
    stdio: 'inherit',
  })
  onTestFinished(() => void app.kill('SIGKILL'))
  const [request, socket] = await once(proxy, 'connect')
  socket.destroy()
  expect(request.url).toBe(target)
})
