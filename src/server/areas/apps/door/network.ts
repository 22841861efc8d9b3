import { openOutgoingProxy } from '#lib/net/outgoing-proxy.ts'
import { createHostFetch, createSocketFetch } from '#lib/net/socket-fetch.ts'
import type { AppAddress, ProxyFacts } from './messages.ts'

/** An app that can be asked. Disposing of it closes the connections to it. */
export type AttachedApp = AsyncDisposable & {
  /** Sends a request to the app. Rejects with a SocketFetchError, or with the reason of the request's signal. */
  readonly fetch: (request: Request) => Promise<Response>
}

/** The way to apps, and their way out. */
export type AppNetwork = {
  /** `onBlamed` is called when answers of this app were shown to end the process that handles them. */
  readonly attach: (address: AppAddress, onBlamed?: () => void) => AttachedApp
  readonly openProxy: (proxy: ProxyFacts, onRefused: (reason: string) => void) => Promise<AsyncDisposable>
}

/** Handles the bytes of apps in this process. In the product only the door's own process does. */
export function createDirectNetwork(): AppNetwork {
  const hostFetch = createHostFetch()
  return {
    attach: (address) => {
      if ('socket' in address) {
        const fetch = createSocketFetch(address.socket)
        return { fetch, [Symbol.asyncDispose]: () => fetch[Symbol.asyncDispose]() }
      }
      return { fetch: (request) => hostFetch(address, request), [Symbol.asyncDispose]: async () => {} }
    },
    openProxy: ({ path, ...facts }, onRefused) => openOutgoingProxy(path, { ...facts, onRefused }),
  }
}
