import type { Instance } from '../deploys/target.ts'
import type { AppAddress } from '../door/messages.ts'
import { once, sendAndWatch } from '../door/program/send-and-watch.ts'

/** An instance of an app, with a count of the requests that it is answering. */
export type ServedInstance = {
  readonly address: AppAddress
  readonly route?: Instance['route']
  /** Sends a request of svc itself. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Counts a request until the result is called. */
  readonly begin: () => () => void
  /** Resolves when no request is being answered any more. */
  readonly idle: () => Promise<void>
}

/** Counts the requests of an instance until their answers were read, so that a switch can let them end. */
export function serveInstance(instance: Pick<Instance, 'address' | 'fetch' | 'route' | 'idle'>): ServedInstance {
  const { address, fetch, route } = instance
  let inFlight = 0
  let waiting: (() => void)[] = []
  const begin = () => {
    inFlight++
    return once(() => {
      inFlight--
      if (inFlight > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    })
  }
  const idle = () => (inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)))
  return {
    address,
    route,
    begin,
    fetch: (request) => sendAndWatch(fetch, request, begin()),
    idle: async () => void (await Promise.all([idle(), instance.idle?.()])),
  }
}
