import { dirname, join } from 'node:path'
import { messageOf } from '#lib/message-of.ts'
import { isLoopback } from '#lib/net/address/loopback.ts'
import type { HandedOver } from '#lib/pipes/process-pipes.ts'
import type { FoundBubblewrap } from '#lib/processes/bubblewrap.ts'
import type { ControlGroup, ControlGroups } from '#lib/processes/control-groups/control-groups.ts'
import type { OnLine } from '../../deploys/target.ts'
import type { AppNetwork } from '../../door/network.ts'
import type { SharedLogRate } from '../../logs/log-rate.ts'
import type { ProcessLimits } from '../limits/limits.ts'
import type { MemoryTotals } from '../limits/memory-totals.ts'
import { appEnvironment } from './app-environment.ts'
import { ConfinedProcess, type FrozenProcess } from './confined-process.ts'
import { isRoot, programPlaces } from './find-sandbox.ts'
import { explainEnd, watchGroup, watchMemory } from './limit-memory.ts'
import { INSIDE, SCRIPT_OPTIONS, sandboxCommand } from './sandbox-command.ts'
import type { ProcessEnd } from './status.ts'
import { systemCallFilter } from './system-call-filter.ts'
import type { TokenFile } from './token-file.ts'
import type { createUserIds } from './users.ts'
import { openWorkplace, PLACE, reopenWorkplace, type WorkplaceRecord } from './workplace.ts'

/** The parts that all sandboxes of this process share. */
export type SandboxMachine = {
  readonly dataDir: string
  readonly network: AppNetwork
  readonly users: ReturnType<typeof createUserIds>
  readonly walls: () => Promise<FoundBubblewrap>
  readonly logRate: SharedLogRate
  /** The control groups that this machine lets svc make. */
  readonly groups: () => Promise<ControlGroups>
  /** Used where no control group limits memory. */
  readonly memoryTotals: MemoryTotals
  /** Returns a new file that will name a process of the app. */
  readonly pidFile: (appId: string) => Promise<string>
  /** Returns a new folder for the pipes of an app. Undefined: no other program goes on with apps in this process. */
  readonly pipesFolder: (() => string) | undefined
}

export type SandboxOptions = {
  readonly orgId: string
  readonly appId: string
  /** Source or release. */
  readonly folder: string
  /** A folder for HOME that is on disk and writable, as is `folder`. Undefined for an app. */
  readonly buildHome: string | undefined
  readonly memoryBytes: number
  readonly limits: Pick<ProcessLimits, 'processes' | 'openFiles' | 'tmpfsBytes' | 'organization'>
  /** False: there is no proxy, and attempts to reach one are refused inside. Only where there are walls. */
  readonly hasNetwork: boolean
  /** Address of svc's own API, which apps may always reach. Undefined: it is not known. */
  readonly apiOrigin: string | undefined
  readonly onLine: OnLine
  /** The first token of a live instance. Undefined: it gets none, as every build and trial. */
  readonly token: string | undefined
  /** Whether it may run without walls where this machine has none. The server decides that for each app. */
  readonly mayBeUnsandboxed: boolean
  /** The user that owns the writable folders; made by `takeUser`. */
  readonly uid: number | undefined
  /** The file that names the process. Undefined: one of the app's. */
  readonly pidFile?: string | undefined
  /** Whether the next program in this process is to go on with it. */
  readonly isLasting?: boolean
  /** Ends the opening of a sandbox that is not needed any more. Undefined: it is waited for. */
  readonly signal?: AbortSignal
}

/** A sandbox that is open for requests and outgoing connections, and in which nothing of the app runs yet. */
export type Sandbox = {
  /** Resolves when our script has opened its sockets. Rejects with the reason why it could not. */
  readonly ready: Promise<void>
  /** Resolves with the first process of the sandbox, as this machine counts; undefined where there is none. */
  readonly firstPid: Promise<number | undefined>
  readonly run: (command: string, variables: Readonly<Record<string, string>>) => void
  /** Kills everything, without waiting for its end. The first reason is the one that people read. */
  readonly kill: (reason: string, by?: 'limit' | 'svc') => void
  /** Whether a connection was refused because there is no network. */
  readonly triedNetwork: () => boolean
  /** Resolves when everything is gone, its files too. */
  readonly gone: Promise<ProcessEnd>
}

/** The sandbox of an app. */
export type AppSandbox = Sandbox & {
  /** The socket that requests go to. */
  readonly takeSocket: () => Promise<string>
  readonly replaceToken: (token: string) => Promise<void>
  /** Returns the most memory that was seen in use since the last call. Undefined: none was seen. */
  readonly takeMemoryPeak: () => number | undefined
  /** Asks the app to end. */
  readonly stop: () => void
  /** Lets another program go on with it in this process. Undefined while that is not possible. */
  readonly handOver: () => HandedOver<FrozenSandbox> | undefined
}

/** A sandbox of an app for the next program in this process. */
export type FrozenSandbox = {
  readonly process: FrozenProcess
  readonly workplace: WorkplaceRecord
  readonly pidFile: string
  /** The name of its control group. */
  readonly group: string
}

/** Processes of bubblewrap itself, beside those of the app, which it counts as root's. */
const OWN_PROCESSES = 2
/** Ports inside, where no other program listens. Another one is used if svc itself has that port. */
const APP_PORTS = [3000, 3001]
const PROXY_PORTS = [3128, 3129]

/** Returns the user for a new sandbox, if it needs one of its own. */
export async function takeUser({ walls, users }: Pick<SandboxMachine, 'walls' | 'users'>): Promise<number | undefined> {
  return isRoot && 'bubblewrap' in (await walls()) ? users.take() : undefined
}

export async function openSandbox(options: SandboxOptions, machine: SandboxMachine): Promise<AppSandbox> {
  const { orgId, appId, folder, buildHome, memoryBytes, limits, hasNetwork, apiOrigin, onLine, token, uid } = options
  const { isLasting = false } = options
  const found = await machine.walls()
  if (!hasNetwork && 'missing' in found) throw new Error('without a sandbox nothing keeps the network away')
  if (!options.mayBeUnsandboxed && 'missing' in found) throw new Error(`there is no sandbox: ${found.missing}`)
  const groups = await machine.groups()
  const pidFile = options.pidFile ?? (await machine.pidFile(appId))
  const placeFile = `${pidFile}${PLACE}`
  const { network } = machine
  const { signal } = options
  const workplace = await openWorkplace({ uid, apiOrigin, hasNetwork, onLine, network, token, placeFile, signal })
  const { organization, processes } = limits
  // Builds end with the server that asked for them, and so does a trial.
  const pipesFolder = isLasting ? machine.pipesFolder?.() : undefined
  const own = { memoryBytes, processes: processes + OWN_PROCESSES }
  let group: ControlGroup | undefined
  try {
    signal?.throwIfAborted()
    const opened = groups.open(orgId, { own, organization })
    group = opened
    const findEnd = () => explainEnd(opened, memoryLimitsOf(options))
    const isWalled = 'bubblewrap' in found
    const places = { ...programPlaces(), ...workplace, dataDir: machine.dataDir }
    const child = await ConfinedProcess.start({
      command: isWalled
        ? sandboxCommand(
            { ...places, ...found, app: folder, isAppWritable: buildHome !== undefined, home: buildHome },
            { ...limits, hasCpuGroup: groups.versions.cpu !== undefined },
            uid,
          )
        : { file: process.execPath, args: [...SCRIPT_OPTIONS, places.script], options: '' },
      filter: isWalled ? systemCallFilter(process.arch) : undefined,
      pidFile,
      pipesFolder,
      onLine,
      logRate: () => machine.logRate.ofStream(appId),
      limit: opened.add,
      findEnd,
    })
    const surroundings = {
      ...(isWalled ? inside(apiOrigin, buildHome) : outside(buildHome ?? workplace.home, apiOrigin)),
      tokenFile: workplace.identity && (isWalled ? INSIDE.token : join(workplace.identity, 'token')),
    }
    child.send({
      open: {
        ...(buildHome === undefined && {
          requests: isWalled
            ? { socket: INSIDE.socket, port: otherPort(APP_PORTS, apiOrigin) }
            : { socket: join(workplace.run, 'app.sock'), port: 0 },
        }),
        outgoing: isWalled ? outgoing(apiOrigin, hasNetwork) : [],
      },
    })
    const parts = { child, group: opened, groups, workplace, record: { workplace: workplace.record, pidFile } }
    return {
      ...watchSandbox(parts, options, machine),
      ready: child.ready,
      firstPid: child.firstPid,
      triedNetwork: () => child.triedNetwork(),
      takeSocket: workplace.takeSocket,
      run: (command, variables) =>
        child.send({
          run: {
            command,
            environment: appEnvironment(variables, surroundings),
            folder: isWalled ? INSIDE.app : folder,
          },
        }),
    }
  } catch (error) {
    group?.remove()
    await workplace[Symbol.asyncDispose]()
    throw error
  }
}

/** Goes on with the sandbox of an app that the former program in this process opened. */
export async function adoptSandbox(
  { process: frozen, workplace: place, pidFile, group: name }: FrozenSandbox,
  options: SandboxOptions,
  machine: SandboxMachine,
): Promise<RunningSandbox & { readonly socket: string }> {
  const { orgId, appId, onLine } = options
  const groups = await machine.groups()
  const workplace = await reopenWorkplace(place, { network: machine.network, onLine })
  const group = groups.reopen(orgId, name)
  const findEnd = () => explainEnd(group, memoryLimitsOf(options))
  const logRate = () => machine.logRate.ofStream(appId)
  let child: ConfinedProcess
  try {
    child = ConfinedProcess.adopt(frozen, { pidFile, onLine, logRate, findEnd })
  } catch (error) {
    group.remove()
    await workplace[Symbol.asyncDispose]()
    throw error
  }
  const parts = { child, group, groups, workplace, record: { workplace: place, pidFile } }
  return { ...watchSandbox(parts, options, machine), socket: workplace.socket }
}

type RunningSandbox = Pick<AppSandbox, 'gone' | 'kill' | 'stop' | 'replaceToken' | 'takeMemoryPeak' | 'handOver'>
type SandboxParts = {
  readonly child: ConfinedProcess
  readonly group: ControlGroup
  readonly groups: ControlGroups
  readonly workplace: AsyncDisposable & { readonly tokenFile: TokenFile | undefined }
  readonly record: Pick<FrozenSandbox, 'workplace' | 'pidFile'>
}

/** Watches the memory of a sandbox and removes its files when it has ended. */
function watchSandbox(
  { child, group, groups, workplace, record }: SandboxParts,
  options: SandboxOptions,
  machine: SandboxMachine,
): RunningSandbox {
  const { orgId, onLine } = options
  const limits = memoryLimitsOf(options)
  const watching = new AbortController()
  let peak: number | undefined
  const onMemory = (bytes: number) => {
    peak = Math.max(peak ?? 0, bytes)
  }
  const findEnd = () => explainEnd(group, limits)
  if (groups.versions.memory !== undefined) watchGroup(child, { ...group, findEnd }, onMemory, watching.signal)
  else watchMemory(child, orgId, limits, machine.memoryTotals, onMemory, watching.signal)
  const gone = child.ended.then(async (end) => {
    watching.abort()
    group.remove()
    // Files that cannot be removed must not end the process that keeps all apps.
    try {
      await workplace[Symbol.asyncDispose]()
    } catch (error) {
      onLine({ stream: 'system', text: `Files of the sandbox could not be removed: ${messageOf(error)}.` })
    }
    return end
  })
  return {
    gone,
    kill: (reason, by) => child.kill(reason, by),
    stop: () => child.send({ stop: true }),
    replaceToken: async (next) => workplace.tokenFile?.replace(next),
    takeMemoryPeak: () => {
      const taken = peak
      peak = undefined
      return taken
    },
    handOver: () => {
      const { descriptors } = child
      if (!descriptors) return undefined
      return { descriptors, freeze: () => ({ ...record, process: child.freeze(), group: group.name }) }
    },
  }
}

function memoryLimitsOf({ memoryBytes, limits }: Pick<SandboxOptions, 'memoryBytes' | 'limits'>) {
  return { ownBytes: memoryBytes, organizationBytes: limits.organization.memoryBytes }
}

function inside(apiOrigin: string | undefined, buildHome: string | undefined) {
  return {
    path: INSIDE.path,
    home: buildHome === undefined ? INSIDE.scratch : INSIDE.home,
    scratch: INSIDE.scratch,
    proxy: `http://127.0.0.1:${otherPort(PROXY_PORTS, apiOrigin)}`,
    apiUrl: apiOrigin,
  }
}

function outside(home: string, apiOrigin: string | undefined) {
  const path = `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
  return { path, home, scratch: home, proxy: undefined, apiUrl: apiOrigin }
}

/** The proxy, and svc itself at its own port if its address is one of this machine, which programs ask no proxy for. */
function outgoing(apiOrigin: string | undefined, hasNetwork: boolean) {
  const proxy = { port: otherPort(PROXY_PORTS, apiOrigin), socket: hasNetwork ? INSIDE.proxySocket : null }
  const api = apiOrigin === undefined ? undefined : new URL(apiOrigin)
  const isHere = api !== undefined && isLoopback(api.hostname) && Number(api.port) >= 1024
  return isHere ? [proxy, { ...proxy, port: Number(api.port), tunnel: api.host }] : [proxy]
}

function otherPort(ports: readonly number[], apiOrigin: string | undefined): number {
  return ports.find((port) => apiOrigin === undefined || String(port) !== new URL(apiOrigin).port)!
}
