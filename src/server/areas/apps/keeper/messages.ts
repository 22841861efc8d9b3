import type { AppSums } from '../counts/app-counts.ts'
import type { AppAddress, DoorSettings, NoRoute } from '../door/messages.ts'
import type { SandboxOptions } from '../process/sandbox/sandbox.ts'
import type { AppClaim, AppOptions } from '../process/sandbox/sandboxes.ts'
import type { ProcessEnd } from '../process/sandbox/status.ts'

/** Changed whenever a message means something else than before. */
export const PROTOCOL = 1

/**
 * The newest line of an app that is stored: its time (0 if there is none), and how many lines of that time are stored or
 * reported as missing before it. `dropped`: how many lines the log says are missing behind it, and the time from which on
 * they are.
 */
export type Stored = {
  readonly at: number
  readonly count: number
  readonly dropped?: { readonly count: number; readonly since: number }
}

/** One line of an app or a build. */
export type KeptLine = {
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly text: string
  readonly at: number
  /** How many lines are missing here. */
  readonly dropped?: number
}

/** The settings of the port that a server chooses. */
export type DoorOptions = Omit<DoorSettings, 'socketKey'>

/** The counts of apps since a server last asked. */
export type CountedApps = { readonly sums: readonly AppSums[] }

/** Orders that are answered by `done`. */
export type Order =
  /** Opens the port of apps. Answered with the port. */
  | { readonly do: 'open_door'; readonly settings: DoorOptions }
  | { readonly do: 'take_user' }
  | { readonly do: 'open'; readonly sandbox: number; readonly options: Omit<SandboxOptions, 'onLine'> }
  /** Answered with the socket of the app. */
  | { readonly do: 'start'; readonly options: Omit<AppOptions, 'onLine'> }
  /** Answered with the socket of the app, or null. */
  | { readonly do: 'find'; readonly claim: AppClaim; readonly stored: Stored | null }
  | { readonly do: 'end_orphans'; readonly app: Pick<AppClaim, 'appId' | 'fence'>; readonly keep: readonly string[] }
  | { readonly do: 'replace_token'; readonly deployId: string; readonly token: string }
  /** `socketsMs`: how long WebSockets stay open, unless `close_sockets` comes before. */
  | { readonly do: 'drain_app'; readonly deployId: string; readonly graceMs: number; readonly socketsMs: number | null }
  /** Answered when requests of the label go to the instance. */
  | { readonly do: 'route'; readonly label: string; readonly deployId: string }
  | { readonly do: 'close_port' }
  /** Answered with `CountedApps`. A former release answers with the order. */
  | { readonly do: 'take_counts' }
  /**
   * Lets another program go on in the process of the keeper. Answered only if that is refused: otherwise the connection
   * ends, and the other program listens soon. Every release sends and understands this order as it is.
   */
  | { readonly do: 'upgrade'; readonly execPath: string; readonly entry: string }
  /** Ends all apps and the keeper. Every release sends and understands this order as it is. */
  | { readonly do: 'shut_down' }

/** Messages of a server to the keeper, one JSON object a line. */
export type ToKeeper =
  /**
   * The first message. `holdMs`: for how long apps may run after this connection ended. `renews`: also after each `held`,
   * because other machines may host them later.
   */
  | { readonly do: 'hello'; readonly protocol: number; readonly holdMs: number; readonly renews: boolean }
  | (Order & { readonly id: number })
  | { readonly do: 'free_user'; readonly uid: number }
  | { readonly do: 'run'; readonly sandbox: number; readonly command: string; readonly variables: Variables }
  | { readonly do: 'kill'; readonly sandbox: number; readonly reason: string; readonly by: 'limit' | 'svc' }
  /** `fence`: of the lease under which the server hosts the app. Undefined: a former release does not send it. */
  | { readonly do: 'stop_app'; readonly deployId: string; readonly fence?: number }
  | {
      readonly do: 'kill_app'
      readonly deployId: string
      readonly fence?: number
      readonly reason: string
      readonly by: 'limit' | 'svc'
    }
  | { readonly do: 'leave'; readonly deployId: string }
  /** No other machine may host the app for some time from now on. */
  | { readonly do: 'held'; readonly appId: string }
  /** A request of svc itself. */
  | {
      readonly do: 'fetch'
      readonly id: number
      readonly address: AppAddress
      readonly path: string
      readonly headers: readonly (readonly [string, string])[]
    }
  | { readonly do: 'cancel'; readonly id: number }
  /** Answers `look_up`. */
  | { readonly do: 'found'; readonly id: number; readonly to: NoRoute }
  /** No more requests of any label go to the instance. */
  | { readonly do: 'unroute'; readonly deployId: string }
  | { readonly do: 'close_sockets'; readonly deployId: string }
  | { readonly do: 'drain' }

type Variables = Readonly<Record<string, string>>

/** Messages of the keeper to a server, one JSON object a line. */
export type FromKeeper =
  | {
      readonly is: 'welcome'
      readonly protocol: number
      readonly keeperId: string
      readonly startedBy: StartedBy
      readonly pid: number
      /** Digest of its program. Undefined: it does not understand `upgrade`. */
      readonly program?: string
    }
  | { readonly is: 'done'; readonly id: number; readonly value?: unknown; readonly fault?: Fault }
  | { readonly is: 'line'; readonly sandbox: number; readonly line: KeptLine }
  | { readonly is: 'ready'; readonly sandbox: number; readonly firstPid: number | null; readonly fault?: string }
  | { readonly is: 'gone'; readonly sandbox: number; readonly end: ProcessEnd; readonly triedNetwork: boolean }
  | { readonly is: 'app_line'; readonly deployId: string; readonly line: KeptLine }
  | { readonly is: 'app_gone'; readonly deployId: string; readonly end: ProcessEnd }
  | { readonly is: 'harmful'; readonly deployId: string }
  | { readonly is: 'answered'; readonly id: number; readonly status: number }
  | { readonly is: 'body'; readonly id: number; readonly bytes: string; readonly broken: boolean }
  | { readonly is: 'unanswered'; readonly id: number; readonly sent: boolean }
  /** A WebSocket to the app with this label was opened, was closed, or was refused for want of room. */
  | { readonly is: 'socket'; readonly label: string; readonly was: 'opened' | 'closed' | 'refused' }
  /** A visitor asks for an app that does not run here. */
  | { readonly is: 'look_up'; readonly id: number; readonly label: string }
  | { readonly is: 'log'; readonly level: 'warn' | 'error'; readonly details: object; readonly message: string }

/** `code`: of an error of the system, such as EADDRINUSE. */
export type Fault = { readonly message: string; readonly code?: string | undefined }

/** `server`: a server started it and ends it when it stops; `operator`: it is a service of its own. */
export type StartedBy = 'server' | 'operator'
