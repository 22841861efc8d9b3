import { openOutgoingProxy } from '#lib/net/outgoing-proxy.ts'
import {
  createHostFetch,
  createSocketFetch,
  type OnReceived,
  type OpenConnection,
  openHost,
  openSocket,
} from '#lib/net/socket-fetch.ts'
import type { AnsweringDeploy } from './harm/suspects.ts'
import type { AppAddress, ProxyFacts } from './messages.ts'

/** An app that can be asked. Disposing of it closes the connections to it. */
export type AttachedApp = AsyncDisposable & {
  /** Sends a request to the app. Rejects with a SocketFetchError, or with the reason of the request's signal. */
  readonly fetch: (request: Request) => Promise<Response>
}

/** An app that this process reaches itself. */
export type ReachedApp = AttachedApp & {
  readonly open: OpenConnection
}

/** The way to apps, and their way out. */
export type AppNetwork = {
  /** `deploy` is told when its answers were shown to end the process that handles them. */
  readonly attach: (address: AppAddress, deploy?: AnsweringDeploy) => AttachedApp
  /** The signal ends the wait for the process that opens it. */
  readonly openProxy: (
    proxy: ProxyFacts,
    onRefused: (reason: string) => void,
    signal?: AbortSignal,
  ) => Promise<AsyncDisposable>
}

type DirectNetwork = Omit<AppNetwork, 'attach'> & { readonly attach: (address: AppAddress) => ReachedApp }

/**
 * Handles the bytes of apps in this process. In the product only the door's own process does. `watch` is called for
 * each new connection, and its result with what arrives there before anything else reads it.
 */
export function createDirectNetwork(watch?: (address: AppAddress) => OnReceived | undefined): DirectNetwork {
  const hostFetch = createHostFetch(watch)
  return {
    attach: (address) => {
      if ('socket' in address) {
        const fetch = createSocketFetch(address.socket, () => watch?.(address))
        const open: OpenConnection = (callback) => openSocket(address.socket, watch?.(address), callback)
        return { fetch, open, [Symbol.asyncDispose]: () => fetch[Symbol.asyncDispose]() }
      }
      return {
        fetch: (request) => hostFetch(address, request),
        open: (callback) => openHost(address, watch?.(address), callback),
        [Symbol.asyncDispose]: async () => {},
      }
    },
    openProxy: ({ path, ...facts }, onRefused) => openOutgoingProxy(path, { ...facts, onRefused }),
  }
}
