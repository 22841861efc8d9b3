import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { orAborted } from '#lib/async/race.ts'
import { rememberFound } from '#lib/processes/bubblewrap.ts'
import { type ControlGroups, findControlGroups } from '#lib/processes/control-groups/control-groups.ts'
import { endProcess } from '#lib/processes/former-process.ts'
import type { Instance, OnLine, StoredLines, TargetKeeper } from '../../deploys/target.ts'
import type { AppNetwork } from '../../door/network.ts'
import { SharedLogRate } from '../../logs/log-rate.ts'
import { endOrphans } from '../end-orphans.ts'
import { layoutOf } from '../layout.ts'
import { createMemoryTotals } from '../limits/memory-totals.ts'
import { findSandbox } from './find-sandbox.ts'
import {
  type AppSandbox,
  adoptSandbox,
  type FrozenSandbox,
  openSandbox,
  type Sandbox,
  type SandboxMachine,
  type SandboxOptions,
  takeUser,
} from './sandbox.ts'
import { createUserIds } from './users.ts'

/** One instance of an app. `fence` is that of the lease under which the app is hosted. */
export type AppClaim = { readonly appId: string; readonly deployId: string; readonly fence: number }

export type AppOptions = AppClaim &
  Omit<SandboxOptions, 'buildHome' | 'hasNetwork' | 'uid' | 'pidFile' | 'isLasting' | 'signal'> & {
    readonly command: string
    readonly variables: Readonly<Record<string, string>>
  }

/** The lines of an instance that was left running: those that are stored already are not handed on again. */
type LeftLines = {
  readonly onLine: OnLine
  readonly stored: StoredLines | undefined
}

/** An instance that runs, and the way to it. */
export type RunningApp = Pick<AppSandbox, 'replaceToken' | 'stop' | 'kill' | 'gone'> & {
  readonly socket: string
  /** Sends requests of the label to it from now on. Undefined where the server itself does. */
  readonly route?: (label: string) => Promise<void>
  readonly unroute?: () => void
  /** Waits for requests and closes WebSockets, see `Instance`. */
  readonly drain?: NonNullable<Instance['drain']>
  /** Lets it go on without this process. Undefined where it cannot. */
  readonly leave?: () => void
  /** Whether it is to go on when this process stops. */
  readonly leaves?: () => boolean
  /** See `AppSandbox`. Undefined where the keeper does it. */
  readonly handOver?: AppSandbox['handOver']
  readonly takeMemoryPeak?: AppSandbox['takeMemoryPeak']
}

/** Where sandboxes are made: in this process, which they end with, or in the keeper, where those of apps outlive it. */
export type Sandboxes = {
  /** Returns the user for a new sandbox, if it needs one of its own. */
  readonly takeUser: () => Promise<number | undefined>
  readonly freeUser: (uid: number) => void
  readonly open: (options: SandboxOptions) => Promise<Sandbox>
  /** Opens a sandbox for an app and runs its command there. Rejects soon, with nothing left, if the signal is aborted before. */
  readonly start: (options: AppOptions, signal: AbortSignal) => Promise<RunningApp>
  /** Returns the instance that a former process of svc left running. */
  readonly find: (claim: AppClaim, lines: LeftLines, signal: AbortSignal) => Promise<RunningApp | undefined>
  /** Undefined where everything ends with this process. */
  readonly keeper?: () => Promise<TargetKeeper>
  /** Ends what a former process of svc left running of this app, except instances of the named deploys. */
  readonly endOrphans: (app: Pick<AppClaim, 'appId' | 'fence'>, keep: readonly string[]) => Promise<void>
}

type SandboxMachineOptions = {
  readonly dataDir: string
  readonly network: AppNetwork
  /** Where bubblewrap is looked for. */
  readonly bubblewrapPlaces?: readonly string[] | undefined
  /** Finds the control groups that limit apps. */
  readonly findGroups?: ((dataDir: string) => Promise<ControlGroups>) | undefined
  /** Where the pipes of apps are. Undefined: no other program goes on with apps in this process. */
  readonly pipes?: string | undefined
}

export function createSandboxMachine(options: SandboxMachineOptions): SandboxMachine {
  const { dataDir, network, bubblewrapPlaces, pipes } = options
  const groups = (options.findGroups ?? ((folder) => findControlGroups(folder)))(dataDir)
  // Control groups that a killed process left.
  void groups.then(({ removeEmpty }) => removeEmpty())
  return {
    dataDir,
    network,
    users: createUserIds(),
    groups: () => groups,
    memoryTotals: createMemoryTotals(),
    walls: rememberFound(() => findSandbox(dataDir, bubblewrapPlaces)),
    logRate: new SharedLogRate(),
    pidFile: async (appId) => {
      const { running } = layoutOf(dataDir, appId)
      await mkdir(running, { recursive: true, mode: 0o700 })
      return join(running, randomBytes(6).toString('hex'))
    },
    pipesFolder: pipes === undefined ? undefined : () => join(pipes, randomBytes(6).toString('hex')),
  }
}

/** Makes sandboxes in this process. */
export function createLocalSandboxes(machine: SandboxMachine): Sandboxes {
  return {
    takeUser: () => takeUser(machine),
    freeUser: (uid) => machine.users.free(uid),
    open: (options) => openSandbox(options, machine),
    start: (options, signal) => startApp(options, machine, signal),
    find: async () => undefined,
    endOrphans: async ({ appId }) => endFormer(appId, machine),
  }
}

/** Ends what a killed process of svc, or a killed keeper, left of an app. */
export async function endFormer(appId: string, { dataDir, groups }: SandboxMachine): Promise<void> {
  await endOrphans(layoutOf(dataDir, appId).running)
  await groups().then(({ removeEmpty }) => removeEmpty())
}

const APP_SANDBOX = { buildHome: undefined, hasNetwork: true, isLasting: true }

/** Goes on with an app that the former program in this process started. */
export async function adoptApp(
  options: AppOptions,
  frozen: FrozenSandbox,
  machine: SandboxMachine,
): Promise<RunningApp> {
  const { uid } = frozen.workplace
  if (uid !== undefined) machine.users.takeAgain(uid)
  const app = await adoptSandbox(frozen, { ...options, ...APP_SANDBOX, uid }, machine)
  void app.gone.then(() => uid !== undefined && machine.users.free(uid))
  return app
}

/** Ends an app that the former program in this process started and this one cannot go on with, and nothing else. */
export async function endFrozen({ pidFile, process, workplace: { uid } }: FrozenSandbox, machine: SandboxMachine) {
  for (const identity of [process.first, process.identity]) if (identity !== undefined) await endProcess(identity)
  await endOrphans(dirname(pidFile), basename(pidFile))
  rmSync(process.pipes, { recursive: true, force: true })
  await machine.groups().then(({ removeEmpty }) => removeEmpty())
  if (uid !== undefined) machine.users.free(uid)
}

/** Rejects if the signal is aborted before the command runs, as soon as nothing of it is left. */
export async function startApp(options: AppOptions, machine: SandboxMachine, signal: AbortSignal): Promise<RunningApp> {
  await orAborted(machine.walls(), signal)
  const uid = await takeUser(machine)
  const free = () => void (uid !== undefined && machine.users.free(uid))
  let sandbox: AppSandbox | undefined
  try {
    sandbox = await openSandbox({ ...options, ...APP_SANDBOX, uid, signal }, machine)
    await orAborted(sandbox.ready, signal)
    const socket = await sandbox.takeSocket()
    signal.throwIfAborted()
    sandbox.run(options.command, options.variables)
    void sandbox.gone.then(free)
    const { gone, kill, stop, replaceToken, takeMemoryPeak, handOver } = sandbox
    return { gone, kill, stop, replaceToken, takeMemoryPeak, handOver, socket }
  } catch (error) {
    sandbox?.kill('killed: it could not be started')
    await sandbox?.gone
    free()
    throw error
  }
}
