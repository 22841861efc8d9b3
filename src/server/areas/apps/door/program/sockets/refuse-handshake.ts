import { page } from '../pages.ts'

const VERSION = '13'
/** 16 bytes in base64, of whose last letter only two bits count. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/

/** Returns the answer to a request that asks for WebSocket in a way that servers understand differently. */
export function refuseHandshake(asked: Request): Response | undefined {
  const { method, headers } = asked
  const malformed = (text: string) => page(asked, 400, 'Malformed request', text)
  if (headers.get('sec-websocket-version') !== VERSION) {
    const response = page(asked, 426, 'Another version needed', `WebSockets are served in version ${VERSION} only.`)
    response.headers.set('sec-websocket-version', VERSION)
    return response
  }
  if (method !== 'GET') return malformed('A WebSocket is opened by GET.')
  if (!KEY.test(headers.get('sec-websocket-key') ?? '')) return malformed('The key of the WebSocket is not valid.')
  // Its bytes would be read as the first ones of the WebSocket.
  if (headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0')
    return malformed('A request for a WebSocket has no body.')
  return undefined
}
