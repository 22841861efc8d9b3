import type { SignWorkload } from '#edge/credentials/workload-token.ts'
import type { FoundBubblewrap } from '#lib/processes/bubblewrap.ts'
import type { AppNetwork } from '../door/network.ts'
import type { DiskTotals } from './limits/disk-totals.ts'
import type { ProcessLimits } from './limits/limits.ts'
import type { Sandboxes } from './sandbox/sandboxes.ts'
import type { Unsandboxed } from './sandbox/unsandboxed.ts'

/** The parts that all builds and instances of this process share. */
export type Machine = {
  readonly dataDir: string
  readonly network: Pick<AppNetwork, 'attach'>
  readonly sandboxes: Sandboxes
  /** Address of svc's own API, which apps may always reach. Undefined until it is known. */
  readonly apiOrigin: () => string | undefined
  /** Signs the tokens of live instances, and how often each gets a new one. Undefined: they get none. */
  readonly tokens: { readonly sign: SignWorkload; readonly replaceMs?: number } | undefined
  readonly walls: () => Promise<FoundBubblewrap>
  readonly limits: ProcessLimits
  readonly diskTotals: DiskTotals
  /** Why builds have no file system of their own, or undefined. */
  readonly diskFault: () => Promise<string | undefined>
  /** Resolves when the file systems of builds of a killed process are unmounted. */
  readonly unmounted: Promise<void>
  /** Which apps may run where there is no sandbox. */
  readonly unsandboxed: Unsandboxed
}
