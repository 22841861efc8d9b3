import { expect, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { createRefusalShapes } from '#edge/format/refusal-shape.ts'
import { createLateDoor } from './late-door.ts'

it('OP-03 a request is told to come back until the services are built, and then answered by them', async () => {
  const door = createLateDoor(createRefusalShapes([]))
  const ask = () =>
    door.fetch(new Request('http://x/'), { clientAddress: '::1', requestId: 'req_1', via: 'api', direct: true })
  const early = await ask()
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await early.json()).toMatchObject({ code: 'UNAVAILABLE', detail: 'The server is starting. Try again.' })
  door.open(async () => new Response('answered'))
  expect(await (await ask()).text()).toBe('answered')
})

it('AU-13 an agent that refreshes its token while svc starts learns to try again, and not that it is logged out', async () => {
  const door = createLateDoor(createRefusalShapes(OPERATIONS))
  const info = { clientAddress: '::1', requestId: 'req_1', via: 'api', direct: true } as const
  const early = await door.fetch(new Request('http://x/oauth/token?a=1', { method: 'POST' }), info)
  expect([early.status, early.headers.get('retry-after'), early.headers.get('content-type')]).toEqual([
    503,
    '1',
    'application/json',
  ])
  expect(await early.json()).toMatchObject({
    error: 'temporarily_unavailable',
    error_description: 'The server is starting. Try again.',
  })
})
