import type { OnLine, StoredLines, TargetKeeper } from '../../deploys/target.ts'
import type { Sandbox } from '../../process/sandbox/sandbox.ts'
import type { AppClaim, RunningApp, Sandboxes } from '../../process/sandbox/sandboxes.ts'
import { HOSTED_ELSEWHERE, type ProcessEnd } from '../../process/sandbox/status.ts'
import type { KeptLine, Order, Stored, ToKeeper } from '../messages.ts'
import type { KeeperEvent } from './keeper-link.ts'

type SandboxEvent = Extract<KeeperEvent, { is: 'line' | 'ready' | 'gone' | 'app_line' | 'app_gone' }>

type Link = {
  readonly keeperId: () => Promise<string>
  /** Asks nothing if the signal is aborted before the keeper is there, and rejects as soon as it is aborted. */
  readonly order: (order: Order, signal?: AbortSignal) => Promise<unknown>
  readonly tell: (message: ToKeeper) => void
}

/** Receives the events of one sandbox or instance. */
type Listener = { readonly onLine: OnLine; readonly onGone: (end: ProcessEnd, triedNetwork: boolean) => void }
type BuildListener = Listener & { readonly onReady: (firstPid: number | null, fault: string | undefined) => void }

const NOT_NEEDED = 'killed: its start is not needed any more'
const LOST: ProcessEnd = { code: null, description: 'the process that keeps apps ended', by: 'svc', isLost: true }
const OUT_OF_SIGHT: ProcessEnd = {
  code: null,
  description: 'the process that keeps apps becomes that of another release',
  by: 'svc',
  isLost: true,
  goesOn: true,
}

/** Makes sandboxes in the keeper. */
export class RemoteSandboxes implements Sandboxes {
  readonly #link: Link
  readonly #leavesApps: () => boolean
  readonly #builds = new Map<number, BuildListener>()
  readonly #apps = new Map<string, Listener>()
  #nextSandbox = 0

  constructor(link: Link, leavesApps: () => boolean) {
    this.#link = link
    this.#leavesApps = leavesApps
  }

  async keeper(): Promise<TargetKeeper> {
    const held = (appId: string) => this.#link.tell({ do: 'held', appId })
    return { id: await this.#link.keeperId(), held, leavesApps: this.#leavesApps }
  }

  receive(event: SandboxEvent): void {
    switch (event.is) {
      case 'line':
        this.#builds.get(event.sandbox)?.onLine(toLine(event.line))
        return
      case 'ready':
        this.#builds.get(event.sandbox)?.onReady(event.firstPid, event.fault)
        return
      case 'gone':
        this.#builds.get(event.sandbox)?.onGone(event.end, event.triedNetwork)
        return
      case 'app_line':
        this.#apps.get(event.deployId)?.onLine(toLine(event.line))
        return
      case 'app_gone':
        this.#apps.get(event.deployId)?.onGone(event.end, false)
        return
      default:
        event satisfies never
    }
  }

  /** The connection to the keeper is gone, and everything in it, unless it goes on with apps as another program. */
  lost(goesOn: boolean): void {
    for (const listener of this.#builds.values()) listener.onGone(LOST, false)
    for (const listener of this.#apps.values()) listener.onGone(goesOn ? OUT_OF_SIGHT : LOST, false)
  }

  async takeUser(): Promise<number | undefined> {
    return ((await this.#link.order({ do: 'take_user' })) as number | null) ?? undefined
  }

  freeUser(uid: number): void {
    this.#link.tell({ do: 'free_user', uid })
  }

  async open({ onLine, ...options }: Parameters<Sandboxes['open']>[0]): Promise<Sandbox> {
    const id = this.#nextSandbox++
    const ready = Promise.withResolvers<void>()
    const firstPid = Promise.withResolvers<number | undefined>()
    const gone = Promise.withResolvers<ProcessEnd>()
    // It can reject before anybody waits for it.
    ready.promise.catch(() => {})
    let hasTriedNetwork = false
    this.#builds.set(id, {
      onLine,
      onReady: (pid, fault) => {
        firstPid.resolve(pid ?? undefined)
        if (fault === undefined) ready.resolve()
        else ready.reject(new Error(fault))
      },
      onGone: (end, triedNetwork) => {
        this.#builds.delete(id)
        hasTriedNetwork = triedNetwork
        ready.reject(new Error(end.description))
        firstPid.resolve(undefined)
        gone.resolve(end)
      },
    })
    try {
      await this.#link.order({ do: 'open', sandbox: id, options })
    } catch (error) {
      this.#builds.delete(id)
      throw error
    }
    return {
      ready: ready.promise,
      firstPid: firstPid.promise,
      gone: gone.promise,
      triedNetwork: () => hasTriedNetwork,
      run: (command, variables) => this.#link.tell({ do: 'run', sandbox: id, command, variables }),
      kill: (reason, by = 'svc') => this.#link.tell({ do: 'kill', sandbox: id, reason, by }),
    }
  }

  async start({ onLine, ...options }: Parameters<Sandboxes['start']>[0], signal: AbortSignal): Promise<RunningApp> {
    const start = async () => (await this.#link.order({ do: 'start', options }, signal)) as string
    const { deployId, fence } = options
    // The keeper ends what it has begun, or goes on with it for the next server.
    const onAbort = () => {
      if (!this.#leavesApps()) this.#link.tell({ do: 'kill_app', deployId, fence, reason: NOT_NEEDED, by: 'svc' })
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await this.#follow(options, onLine, start)
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async find(...[claim, lines, signal]: Parameters<Sandboxes['find']>): Promise<RunningApp | undefined> {
    const stored = lines.stored ? toStored(lines.stored) : null
    const find = async () =>
      ((await this.#link.order({ do: 'find', claim, stored }, signal)) as string | null) ?? undefined
    return this.#follow(claim, lines.onLine, find)
  }

  async endOrphans(app: Pick<AppClaim, 'appId' | 'fence'>, keep: readonly string[]): Promise<void> {
    await this.#link.order({ do: 'end_orphans', app, keep })
  }

  /** Listens before the keeper is asked, because lines can come before its answer. */
  async #follow<S extends string | undefined>(
    { deployId, fence }: Pick<AppClaim, 'deployId' | 'fence'>,
    onLine: OnLine,
    ask: () => Promise<S>,
  ): Promise<S extends string ? RunningApp : RunningApp | undefined>
  async #follow(
    { deployId, fence }: Pick<AppClaim, 'deployId' | 'fence'>,
    onLine: OnLine,
    ask: () => Promise<string | undefined>,
  ): Promise<RunningApp | undefined> {
    const gone = Promise.withResolvers<ProcessEnd>()
    const forget = () => {
      if (this.#apps.get(deployId) === listener) this.#apps.delete(deployId)
    }
    const listener: Listener = {
      onLine,
      onGone: (end) => {
        forget()
        gone.resolve(end)
      },
    }
    this.#apps.get(deployId)?.onGone(HOSTED_ELSEWHERE, false)
    this.#apps.set(deployId, listener)
    let socket: string | undefined
    try {
      socket = await ask()
    } finally {
      if (socket === undefined) forget()
    }
    if (socket === undefined) return undefined
    // The keeper knows servers only. Of two hosts in this one, the former must not end what the next one has started.
    const isCurrent = () => this.#apps.get(deployId) === listener
    const tell = (message: ToKeeper) => {
      if (isCurrent()) this.#link.tell(message)
    }
    const order = async (message: Order) => {
      if (isCurrent()) await this.#link.order(message)
    }
    return {
      socket,
      gone: gone.promise,
      replaceToken: (token) => order({ do: 'replace_token', deployId, token }),
      stop: () => tell({ do: 'stop_app', deployId, fence }),
      kill: (reason, by = 'svc') => tell({ do: 'kill_app', deployId, fence, reason, by }),
      route: (label) => order({ do: 'route', label, deployId }).catch(() => {}),
      unroute: () => tell({ do: 'unroute', deployId }),
      drain: async (graceMs, keptSockets) => {
        const onAbort = () => tell({ do: 'close_sockets', deployId })
        keptSockets?.signal.addEventListener('abort', onAbort)
        const socketsMs = keptSockets && !keptSockets.signal.aborted ? keptSockets.ms : null
        // It ends with the keeper too.
        await order({ do: 'drain_app', deployId, graceMs, socketsMs }).catch(() => {})
        keptSockets?.signal.removeEventListener('abort', onAbort)
      },
      leaves: this.#leavesApps,
      leave: () => {
        tell({ do: 'leave', deployId })
        forget()
        gone.resolve(HOSTED_ELSEWHERE)
      },
    }
  }
}

function toStored({ at, count, dropped }: StoredLines): Stored {
  const ms = { at: at.getTime(), count }
  return dropped ? { ...ms, dropped: { count: dropped.count, since: dropped.since.getTime() } } : ms
}

function toLine({ stream, text, at, dropped }: KeptLine): Parameters<OnLine>[0] {
  return { stream, text, at: new Date(at), ...(dropped !== undefined && { dropped }) }
}
