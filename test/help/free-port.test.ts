import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from './free-port.ts'

const GIVEN_OUT = '/proc/sys/net/ipv4/ip_local_port_range'

it('a free port can be listened on', async () => {
  const port = await freePort()
  await using server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  expect(server.address()).toMatchObject({ port })
})

it.runIf(existsSync(GIVEN_OUT))(
  'a free port is below those that the system gives to whoever asks for any',
  async () => {
    expect(await freePort()).toBeLessThan(Number(readFileSync(GIVEN_OUT, 'utf8').split(/\s/)[0]))
  },
)
