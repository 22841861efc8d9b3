import { expect, it } from 'vitest'
import { createLateDoor } from './late-door.ts'

it('OP-03 a request is told to come back until the services are built, and then answered by them', async () => {
  const door = createLateDoor()
  const ask = () =>
    door.fetch(new Request('http://x/'), { clientAddress: '::1', requestId: 'req_1', via: 'api', direct: true })
  const early = await ask()
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await early.json()).toMatchObject({ code: 'UNAVAILABLE', detail: 'The server is starting. Try again.' })
  door.open(async () => new Response('answered'))
  expect(await (await ask()).text()).toBe('answered')
})
