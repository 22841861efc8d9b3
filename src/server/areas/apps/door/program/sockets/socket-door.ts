import type { OpenConnection } from '#lib/net/socket-fetch.ts'
import { askUpgrade } from '#lib/net/web-socket/ask-upgrade.ts'
import { acceptHead, askForSocket } from '#lib/net/web-socket/handshake.ts'
import { TUNNEL_LIMITS } from '#lib/net/web-socket/limits.ts'
import { Tunnel, type TunnelEnd } from '#lib/net/web-socket/tunnel.ts'
import type { AppRequest } from '#ports/apps.ts'
import type { NoRoute } from '../../messages.ts'
import { passedOn } from '../door.ts'
import { headersFromApp } from '../headers.ts'
import { PAGES, page, whyNoRoute } from '../pages.ts'
import { once, sendAndWatch } from '../send-and-watch.ts'
import type { createClientPlaces } from './client-places.ts'
import type { SocketPlace } from './open-sockets.ts'
import { refuseHandshake } from './refuse-handshake.ts'

export type SocketRoute =
  | {
      readonly type: 'socket'
      /** The handshake as the app, or the door of the worker, gets it. */
      readonly request: Request
      readonly connect: OpenConnection
      readonly place: SocketPlace
    }
  | NoRoute

type Deps = {
  readonly find: (request: AppRequest) => Promise<SocketRoute>
  readonly clients: ReturnType<typeof createClientPlaces>
  /** The key of handshakes with apps. */
  readonly key: string
  readonly onError: (error: unknown, label: string) => void
}

type TakeOver = () => TunnelEnd
type Opening = {
  readonly asked: AppRequest
  readonly takeOver: TakeOver
  readonly key: string
  readonly end: () => void
}

/**
 * Answers requests for WebSockets to apps. Both handshakes are the door's own: the client's ends here, and the app gets
 * one with the key of the door. Returns undefined if the WebSocket is open.
 */
export function createSocketDoor({ find, clients, key, onError }: Deps) {
  return async (asked: AppRequest, takeOver: TakeOver): Promise<Response | undefined> => {
    const refusal = refuseHandshake(asked.request)
    if (refusal) return refusal
    const giveBack = clients.take(asked.clientAddress)
    if (!giveBack) return PAGES.busy(asked.request)
    let end = giveBack
    try {
      const route = await find(asked)
      if (route.type !== 'socket') {
        giveBack()
        return whyNoRoute(route, asked.request)
      }
      // Not the route: its headers would stay in memory for as long as the WebSocket is open.
      const { place } = route
      end = once(() => {
        giveBack()
        place.end()
      })
      return await openSocket(route, { asked, takeOver, key, end })
    } catch (error) {
      end()
      if (!asked.request.signal.aborted) onError(error, asked.label)
      return page(asked.request, 502, 'No answer', 'The app did not answer this request.')
    }
  }
}

async function openSocket(
  { request, connect, place }: Extract<SocketRoute, { type: 'socket' }>,
  { asked, takeOver, key, end }: Opening,
): Promise<Response | undefined> {
  askForSocket(request.headers, key)
  const signal = AbortSignal.any([asked.request.signal, place.signal])
  const answer = await askUpgrade({ request, key, signal, open: connect }).catch((error: unknown) => {
    if (!place.signal.aborted) throw error
  })
  if (!answer) {
    end()
    return PAGES.not_running(asked.request)
  }
  if (answer.type === 'answered') return passedOn(await sendAndWatch(async () => answer.response, request, end))
  const client = takeOver()
  const clientKey = asked.request.headers.get('sec-websocket-key') ?? ''
  client.socket.write(acceptHead(headersFromApp(answer.headers), clientKey), 'latin1')
  const tunnel = new Tunnel({ client, app: answer }, TUNNEL_LIMITS)
  place.open(tunnel)
  void tunnel.ended.then(end)
  return undefined
}
