import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../process/limits/limits.ts'
import type { Order, ToKeeper } from '../messages.ts'
import { RemoteSandboxes } from './remote-sandboxes.ts'

const { signal } = new AbortController()

function open() {
  const sent: (Order | ToKeeper)['do'][] = []
  const link = {
    keeperId: async () => 'keeper-1',
    order: async (order: Order) => {
      sent.push(order.do)
      return '/keeper/app.sock'
    },
    tell: (message: ToKeeper) => void sent.push(message.do),
  }
  const sandboxes = new RemoteSandboxes(link, () => true)
  const find = async (fence: number) => {
    const claim = { appId: 'app_1', deployId: 'dep_1', fence }
    const app = await sandboxes.find(claim, { onLine: () => {}, stored: undefined }, signal)
    return app!
  }
  return { find, sent: () => sent.splice(0) }
}

it.each([
  ['is ended', false, ['start', 'kill_app']],
  ['goes on for the next server', true, ['start']],
])('OP-07 an app whose start is cut off by the stop of its server %s', async (_, leavesApps, expected) => {
  const sent: string[] = []
  const stopping = new AbortController()
  const link = {
    keeperId: async () => 'keeper-1',
    order: ({ do: name }: Order, cut?: AbortSignal) => {
      sent.push(name)
      stopping.abort(new Error('the server stops'))
      return Promise.reject(cut?.reason)
    },
    tell: (message: ToKeeper) => void sent.push(message.do),
  }
  const options = {
    orgId: 'org_1',
    appId: 'app_1',
    deployId: 'dep_1',
    fence: 1,
    folder: '/release',
    memoryBytes: 1,
    limits: DEFAULT_LIMITS,
    apiOrigin: undefined,
    token: undefined,
    mayBeUnsandboxed: false,
    command: 'node app.js',
    variables: {},
    onLine: () => {},
  }
  const starting = new RemoteSandboxes(link, () => leavesApps).start(options, stopping.signal)
  await expect(starting).rejects.toThrow('the server stops')
  expect(sent).toEqual(expected)
})

describe('OP-07 an app that another host of the same server has taken over', () => {
  it('is not stopped, ended, left or routed by the former host', async () => {
    const { find, sent } = open()
    const former = await find(1)
    const next = await find(2)
    expect(await former.gone).toMatchObject({ isLost: true })
    sent()
    former.stop()
    former.kill('killed')
    former.unroute?.()
    await former.route?.('shop')
    await former.replaceToken('token')
    await former.drain?.(0)
    former.leave?.()
    expect(sent()).toEqual([])
    await next.route?.('shop')
    next.stop()
    expect(sent()).toEqual(['route', 'stop_app'])
  })

  it('is told to go on without its host once', async () => {
    const { find, sent } = open()
    const app = await find(1)
    sent()
    app.leave?.()
    app.leave?.()
    app.stop()
    expect(sent()).toEqual(['leave'])
  })
})
