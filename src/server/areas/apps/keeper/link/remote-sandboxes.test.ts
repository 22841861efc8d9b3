import { describe, expect, it } from 'vitest'
import type { Order, ToKeeper } from '../messages.ts'
import { RemoteSandboxes } from './remote-sandboxes.ts'

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
    const app = await sandboxes.find(claim, { onLine: () => {}, stored: undefined })
    return app!
  }
  return { find, sent: () => sent.splice(0) }
}

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
