import type * as z from 'zod'
import type { fromDoor } from './from-door.ts'

/** Where an app is reached: a socket of this machine, or a pod. */
export type AppAddress = { readonly socket: string } | { readonly host: string; readonly port: number }

export type ProxyFacts = {
  readonly path: string
  readonly ownOrigin: string | undefined
  readonly ownClientAddress: string
}

/** The settings that the door gets. `hopSecret` is its only secret, and is used for requests to apps alone. */
export type DoorSettings = {
  readonly host: string
  readonly port: number
  readonly domain: string
  readonly isSecure: boolean
  readonly trustedProxies: readonly string[]
  readonly hopSecret: string
  /**
   * The key of the WebSockets that the door asks apps for, 16 bytes in base64. The doors of one process have the same, so
   * that a recorded answer to a handshake is one for the door that repeats it.
   */
  readonly socketKey: string
}

/**
 * Why a request goes to no app. `isStarting` is no type of its own, because the door of a former release, which outlives an
 * upgrade of the server, would not know it.
 */
export type NoRoute =
  | { readonly type: 'not_running'; readonly isStarting?: boolean }
  | { readonly type: 'unknown' | 'no_worker' | 'failed' | 'busy' }

export type RouteAnswer =
  /** `recordedAs`: the deploy, if the bytes that it sends are to be recorded. */
  | { readonly type: 'app'; readonly address: AppAddress; readonly recordedAs?: string | undefined }
  /** The door of the worker in another process. */
  | { readonly type: 'worker'; readonly address: AppAddress }
  | NoRoute

export type ToDoor =
  /** `reportsOutcomes`: as `report_outcomes`. */
  | ({ readonly do: 'listen'; readonly reportsOutcomes?: boolean } & DoorSettings)
  /** Whether `ended` has outcomes from now on, which former releases of svc do not understand. Answered. */
  | { readonly do: 'report_outcomes'; readonly id: number; readonly isOn: boolean }
  | { readonly do: 'route'; readonly id: number; readonly to: RouteAnswer }
  | ({ readonly do: 'open_proxy'; readonly id: number } & ProxyFacts)
  | { readonly do: 'close_proxy'; readonly id: number; readonly path: string }
  /** A request of svc itself. */
  | {
      readonly do: 'fetch'
      readonly id: number
      readonly address: AppAddress
      readonly recordedAs?: string | undefined
      readonly path: string
      readonly headers: readonly (readonly [string, string])[]
    }
  | { readonly do: 'cancel'; readonly id: number }
  /** Ends the WebSocket with a close frame. */
  | { readonly do: 'close_socket'; readonly id: number }
  /** The app at this address has ended. */
  | { readonly do: 'forget'; readonly address: AppAddress }
  /** Closes each connection after its next answer. */
  | { readonly do: 'drain' }
  /** Closes the port and waits for the requests that are being answered. */
  | { readonly do: 'close_port'; readonly id: number }
  | { readonly do: 'stop' }

export type FromDoor = z.infer<typeof fromDoor>
