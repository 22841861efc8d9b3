import type { AppSums } from '../counts/app-counts.ts'
import type { AppNetwork } from './network.ts'
import type { FoundApp } from './routed-requests.ts'

/** The port of apps. */
export type Door = AppNetwork &
  AsyncDisposable & {
    readonly port: number
    /** Sets how apps are found. Before, every request is answered with 503. */
    readonly serve: (find: (label: string) => Promise<FoundApp>) => void
    /** Returns what was counted of apps since the last call. */
    readonly takeCounts: () => Promise<readonly AppSums[]>
    /** Resolves when the process behind the port answers. */
    readonly start: () => Promise<void>
    /** Closes each connection after its next answer, so that clients connect elsewhere. */
    readonly drain: () => void
    /** Closes the port and waits for requests that are being answered. */
    readonly closePort: () => Promise<void>
  }
