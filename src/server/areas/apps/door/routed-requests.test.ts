import { expect, it } from 'vitest'
import { AppCounts } from '../counts/app-counts.ts'
import type { DoorProcess } from './door-process.ts'
import { fromDoor } from './from-door.ts'
import { type FoundApp, RoutedRequests } from './routed-requests.ts'

const ANSWERED = { status: 500, ms: 3 }

function routing(found: FoundApp) {
  const counts = new AppCounts(() => 0)
  const routed = new RoutedRequests({
    find: async () => found,
    deployAt: () => undefined,
    recordedAs: () => undefined,
    onError: () => {},
    series: { open: () => () => {}, refused: () => {} },
    counts,
  })
  const door = { tell: () => {}, kill: () => {} } as unknown as DoorProcess
  const ask = (id: number, isSocket?: true) =>
    routed.route({ is: 'asked', id, label: 'shop', ...(isSocket && { isSocket }) }, door)
  return { counts, routed, ask }
}
type Ask = () => Promise<unknown>
const APP = { to: { type: 'app', address: { socket: '/app.sock' } } } as const

it('AP-02 a door gets one count for a request that was routed, however often it reports the end', async () => {
  const { counts, routed, ask } = routing(APP)
  await ask(1)
  for (const id of [1, 1, 2]) routed.end(id, ANSWERED)
  expect(counts.take()).toMatchObject([{ label: 'shop', requests: 1, failed: 1 }])
})

it.each([
  ['that is being looked up', APP, async (ask: Ask): Promise<unknown> => void ask()],
  ['to a worker elsewhere', { to: { ...APP.to, type: 'worker' } }, async (ask: Ask): Promise<unknown> => ask()],
  ['to a name that nobody knows', { to: { type: 'unknown' } }, async (ask: Ask): Promise<unknown> => ask()],
  ['that nobody looked up', { to: { type: 'not_running' } }, async (ask: Ask): Promise<unknown> => ask()],
] as const)('AP-02 a request %s is not counted here', async (_what, found, act) => {
  const { counts, routed, ask } = routing(found)
  await act(() => ask(1))
  routed.end(1, ANSWERED)
  expect(counts.take()).toEqual([])
})

it('AP-02 a WebSocket is no request, and a request to an app that does not run has failed', async () => {
  const { counts, routed, ask } = routing({ to: { type: 'not_running' }, isApp: true })
  await ask(1, true)
  await ask(2)
  routed.end(2, ANSWERED)
  expect(counts.take()).toMatchObject([{ requests: 1, failed: 1, latencies: [] }])
  const sockets = routing(APP)
  await sockets.ask(1, true)
  sockets.routed.end(1, ANSWERED)
  expect(sockets.counts.take()).toEqual([])
})

it.each([
  [{ status: 199, ms: 1 }],
  [{ status: 600, ms: 1 }],
  [{ status: 200.5, ms: 1 }],
  [{ status: 200, ms: -1 }],
  [{ status: 200, ms: 2 ** 60 }],
  [{ status: 200 }],
  [{ noAnswer: 'nobody' }],
  [{ noAnswer: 'app', status: 200, ms: 1 }],
])('AP-02 a door that reports the outcome %j is ended', (outcome) => {
  expect(fromDoor.safeParse({ is: 'ended', id: 1, outcome }).success).toBe(false)
  expect(fromDoor.safeParse({ is: 'ended', id: 1, outcome: ANSWERED }).success).toBe(true)
})
