import { dirname, join } from 'node:path'
import type { SignWorkload } from '#edge/credentials/workload-token.ts'
import { isLoopback } from '#lib/net/address/loopback.ts'
import type { FoundBubblewrap } from '#lib/processes/bubblewrap.ts'
import type { ControlGroup, ControlGroups } from '#lib/processes/control-groups/control-groups.ts'
import type { OnLine } from '../../deploys/target.ts'
import type { AppNetwork } from '../../door/network.ts'
import type { SharedLogRate } from '../../logs/log-rate.ts'
import type { DiskTotals } from '../limits/disk-totals.ts'
import type { ProcessLimits } from '../limits/limits.ts'
import type { MemoryTotals } from '../limits/memory-totals.ts'
import { appEnvironment } from './app-environment.ts'
import { ConfinedProcess } from './confined-process.ts'
import { isRoot, programPlaces } from './find-sandbox.ts'
import { explainEnd, watchGroup, watchMemory } from './limit-memory.ts'
import { INSIDE, SCRIPT_OPTIONS, sandboxCommand } from './sandbox-command.ts'
import { systemCallFilter } from './system-call-filter.ts'
import type { InstanceTokens } from './token-file.ts'
import type { Unsandboxed } from './unsandboxed.ts'
import type { createUserIds } from './users.ts'
import { openWorkplace, PLACE } from './workplace.ts'

/** The parts that all builds and instances of this process share. */
export type Machine = {
  readonly dataDir: string
  readonly network: AppNetwork
  /** Address of svc's own API, which apps may always reach. Undefined until it is known. */
  readonly apiOrigin: () => string | undefined
  /** Signs the tokens of live instances, and how often each gets a new one. Undefined: they get none. */
  readonly tokens: { readonly sign: SignWorkload; readonly replaceMs?: number } | undefined
  readonly users: ReturnType<typeof createUserIds>
  readonly walls: () => Promise<FoundBubblewrap>
  readonly limits: ProcessLimits
  readonly logRate: SharedLogRate
  /** The control groups that this machine lets svc make. */
  readonly groups: () => Promise<ControlGroups>
  /** Used where no control group limits memory. */
  readonly memoryTotals: MemoryTotals
  readonly diskTotals: DiskTotals
  /** Why builds have no file system of their own, or undefined. */
  readonly diskFault: () => Promise<string | undefined>
  /** Resolves when the file systems of builds of a killed process are unmounted. */
  readonly unmounted: Promise<void>
  /** Which apps may run where there is no sandbox. */
  readonly unsandboxed: Unsandboxed
  /** Returns a new file that will name a process of the app. */
  readonly pidFile: (appId: string) => Promise<string>
}

export type SandboxOptions = {
  readonly orgId: string
  readonly appId: string
  /** Source or release. */
  readonly folder: string
  /** A folder for HOME that is on disk and writable, as is `folder`. Undefined for an app. */
  readonly buildHome: string | undefined
  readonly memoryBytes: number
  /** False: there is no proxy, and attempts to reach one are refused inside. Only where there are walls. */
  readonly hasNetwork: boolean
  readonly onLine: OnLine
  /** The tokens of a live instance. Undefined: it gets none, as every build and trial. */
  readonly tokens: InstanceTokens | undefined
  /** The user that owns the writable folders; made by `takeUser`. */
  readonly uid: number | undefined
}

/** A sandbox that is open for requests and outgoing connections, and in which nothing of the app runs yet. */
export type Sandbox = {
  readonly process: ConfinedProcess
  /** The socket that requests go to. */
  readonly takeSocket: () => Promise<string>
  readonly run: (command: string, variables: Readonly<Record<string, string>>) => void
  /** Resolves when everything is gone, its files too. */
  readonly gone: ConfinedProcess['ended']
}

/** Processes of bubblewrap itself, beside those of the app, which it counts as root's. */
const OWN_PROCESSES = 2
/** Ports inside, where no other program listens. Another one is used if svc itself has that port. */
const APP_PORTS = [3000, 3001]
const PROXY_PORTS = [3128, 3129]

/** Returns the user for a new sandbox, if it needs one of its own. */
export async function takeUser({ walls, users }: Machine): Promise<number | undefined> {
  return isRoot && 'bubblewrap' in (await walls()) ? users.take() : undefined
}

export async function openSandbox(options: SandboxOptions, machine: Machine): Promise<Sandbox> {
  const { orgId, appId, folder, buildHome, memoryBytes, hasNetwork, onLine, tokens, uid } = options
  const found = await machine.walls()
  if (!hasNetwork && 'missing' in found) throw new Error('without a sandbox nothing keeps the network away')
  const apiOrigin = hasNetwork ? machine.apiOrigin() : undefined
  const groups = await machine.groups()
  const pidFile = await machine.pidFile(appId)
  const placeFile = `${pidFile}${PLACE}`
  const { network } = machine
  const workplace = await openWorkplace({ uid, apiOrigin, hasNetwork, onLine, network, tokens, placeFile })
  const { organization, processes } = machine.limits
  const own = { memoryBytes, processes: processes + OWN_PROCESSES }
  let group: ControlGroup | undefined
  try {
    const opened = groups.open(orgId, { own, organization })
    group = opened
    const memoryLimits = { ownBytes: memoryBytes, organizationBytes: organization.memoryBytes }
    const findEnd = () => explainEnd(opened, memoryLimits)
    const isWalled = 'bubblewrap' in found
    const places = { ...programPlaces(), ...workplace, dataDir: machine.dataDir }
    const child = await ConfinedProcess.start({
      command: isWalled
        ? sandboxCommand(
            { ...places, ...found, app: folder, isAppWritable: buildHome !== undefined, home: buildHome },
            { ...machine.limits, hasCpuGroup: groups.versions.cpu !== undefined },
            uid,
          )
        : { file: process.execPath, args: [...SCRIPT_OPTIONS, places.script], options: '' },
      filter: isWalled ? systemCallFilter(process.arch) : undefined,
      pidFile,
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
    const watching = new AbortController()
    if (groups.versions.memory !== undefined) watchGroup(child, findEnd, watching.signal)
    else watchMemory(child, orgId, memoryLimits, machine.memoryTotals, watching.signal)
    const gone = child.ended.then(async (end) => {
      watching.abort()
      opened.remove()
      await workplace[Symbol.asyncDispose]()
      return end
    })
    return {
      process: child,
      takeSocket: workplace.takeSocket,
      run: (command, variables) =>
        child.send({
          run: {
            command,
            environment: appEnvironment(variables, surroundings),
            folder: isWalled ? INSIDE.app : folder,
          },
        }),
      gone,
    }
  } catch (error) {
    group?.remove()
    await workplace[Symbol.asyncDispose]()
    throw error
  }
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
