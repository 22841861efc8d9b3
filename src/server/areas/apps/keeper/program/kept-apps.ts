import type { HandedOver } from '#lib/pipes/process-pipes.ts'
import type { Counted, FoundApp } from '../../door/routed-requests.ts'
import type { AppClaim, AppOptions } from '../../process/sandbox/sandboxes.ts'
import { HOSTED_ELSEWHERE } from '../../process/sandbox/status.ts'
import type { Stored } from '../messages.ts'
import { type FrozenApp, KeptApp, type Server } from './kept-app.ts'

type Deps = Omit<ConstructorParameters<typeof KeptApp>[1], 'onEnd'> & {
  /** Called when an instance has ended for good. */
  readonly onChange: () => void
}

/** The instances for the next program in this process. */
export type FrozenApps = {
  readonly apps: readonly FrozenApp[]
  readonly labels: readonly (readonly [string, string])[]
  readonly fences: readonly (readonly [string, number])[]
}

/** The instances of apps on this machine, and the labels that visitors ask for. */
export class KeptApps {
  readonly #deps: Deps
  readonly #apps = new Map<string, KeptApp>()
  readonly #labels = new Map<string, string>()
  /** The highest fence of each app. A server with a lower one hosts the app no more. */
  readonly #fences = new Map<string, number>()
  /** How many are being started. */
  #starts = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#apps.size
  }

  /** Goes on with the instances of the former program in this process. `onLost` is called for one that cannot be taken over. */
  async restore(
    { apps, labels, fences }: FrozenApps,
    onLost: (app: FrozenApp, error: unknown) => Promise<void>,
  ): Promise<void> {
    for (const [appId, fence] of fences) this.#fences.set(appId, fence)
    for (const frozen of apps) {
      try {
        const app = await KeptApp.restore(frozen, { ...this.#deps, onEnd: (ended) => this.#forget(ended) })
        this.#apps.set(frozen.options.deployId, app)
      } catch (error) {
        await onLost(frozen, error)
      }
    }
    for (const [label, deployId] of labels) if (this.#apps.has(deployId)) this.#labels.set(label, deployId)
  }

  /** Lets another program go on with all of them in this process. Undefined while that is not possible. */
  handOver(): HandedOver<FrozenApps> | undefined {
    const parts = [...this.#apps.values()].map((app) => app.handOver())
    if (this.#starts > 0 || !parts.every((part) => part !== undefined)) return undefined
    const freeze = () => ({
      apps: parts.map((part) => part.freeze()),
      labels: [...this.#labels],
      fences: [...this.#fences],
    })
    return { descriptors: parts.flatMap(({ descriptors }) => descriptors), freeze }
  }

  /** Returns how the instance of a deploy counts what it answers. */
  countedBy(deployId: string): Counted {
    const app = this.#apps.get(deployId)
    return app?.served ? { ...app.served, deploy: app.answering } : {}
  }

  async start(server: Server, options: Omit<AppOptions, 'onLine'>): Promise<string> {
    this.#starts++
    try {
      return await this.#start(server, options)
    } finally {
      this.#starts--
    }
  }

  async #start(server: Server, options: Omit<AppOptions, 'onLine'>): Promise<string> {
    const { deployId } = options
    this.#checkFence(options)
    // Another start may have waited for the same end, and begun meanwhile.
    while (this.#apps.has(deployId)) {
      await this.#end(deployId, 'killed: it is started anew')
      this.#checkFence(options)
    }
    if (!server.isOpen()) throw new Error('the server that asked for it is gone')
    const app = new KeptApp(options, { ...this.#deps, onEnd: (ended) => this.#forget(ended) })
    this.#apps.set(deployId, app)
    try {
      await app.start(server)
    } catch (error) {
      this.#forget(app)
      throw error
    }
    return app.socket ?? ''
  }

  /** Returns the socket of the instance, which the server hosts from now on, or null if none runs. */
  async find(server: Server, claim: AppClaim, stored: Stored | null): Promise<string | null> {
    this.#checkFence(claim)
    const app = this.#apps.get(claim.deployId)
    return (await app?.adopt(server, stored)) ? (app?.socket ?? null) : null
  }

  async endOthers(app: Pick<AppClaim, 'appId' | 'fence'>, keep: readonly string[]): Promise<void> {
    this.#checkFence(app)
    const others = [...this.#apps.values()].filter(
      ({ options: { appId, deployId } }) => appId === app.appId && !keep.includes(deployId),
    )
    await Promise.all(others.map(({ options }) => this.#end(options.deployId, 'killed: its deploy is not live')))
  }

  /** The instance, if this server hosts it. */
  hosted(server: Server, deployId: string): KeptApp | undefined {
    const app = this.#apps.get(deployId)
    return app?.isHostedBy(server) ? app : undefined
  }

  /**
   * The instance, if this server may end it. A server whose lease another one has by now may not, also if the other one has
   * not yet found the instance: it is told that it hosts it no more.
   */
  toEnd(server: Server, { deployId, fence }: { deployId: string; fence?: number }): KeptApp | undefined {
    const app = this.hosted(server, deployId)
    if (!app || fence === undefined || fence >= (this.#fences.get(app.options.appId) ?? 0)) return app
    app.leave()
    server.send({ is: 'app_gone', deployId, end: HOSTED_ELSEWHERE })
    return undefined
  }

  at(socket: string): KeptApp | undefined {
    return [...this.#apps.values()].find((app) => app.socket === socket)
  }

  route(label: string, deployId: string): void {
    this.#labels.set(label, deployId)
  }

  /** Sends no more requests of any label to the instance. */
  unroute(deployId: string): void {
    for (const [label, routed] of this.#labels) if (routed === deployId) this.#labels.delete(label)
  }

  /** Returns where a visitor's request goes, or undefined if no instance here answers it. */
  findLabel(label: string): FoundApp | undefined {
    const app = this.#apps.get(this.#labels.get(label) ?? '')
    if (!app) return undefined
    const { served } = app
    if (!served) return { to: { type: 'not_running' }, isApp: true }
    const { address, begin, beginSocket } = served
    return { to: { type: 'app', address }, begin, beginSocket }
  }

  /** Returns the most memory that each app which visitors reach was seen to use since the last call. */
  takeMemoryPeaks(): { readonly label: string; readonly bytes: number }[] {
    return [...this.#labels].flatMap(([label, deployId]) => {
      const bytes = this.#apps.get(deployId)?.takeMemoryPeak()
      return bytes === undefined ? [] : [{ label, bytes }]
    })
  }

  /** The server is gone. Its instances go on. */
  leave(server: Server): void {
    for (const app of this.#apps.values()) if (app.isHostedBy(server)) app.leave()
  }

  /** The server has just made sure that no other machine hosts the app. */
  renewHold(server: Server, appId: string): void {
    for (const app of this.#apps.values()) if (app.options.appId === appId && app.isHostedBy(server)) app.renewHold()
  }

  sendLines(server: Server): void {
    for (const app of this.#apps.values()) if (app.isHostedBy(server)) app.sendLines()
  }

  async stopAll(graceMs: number): Promise<void> {
    const all = [...this.#apps.values()]
    for (const app of all) app.stop()
    const timer = setTimeout(() => {
      for (const app of all) app.kill('killed: it did not end when asked to', 'svc')
    }, graceMs)
    await Promise.all(all.map((app) => app.gone()))
    clearTimeout(timer)
  }

  async #end(deployId: string, reason: string): Promise<void> {
    const app = this.#apps.get(deployId)
    if (!app) return
    app.kill(reason, 'svc')
    await app.gone()
    this.#forget(app)
  }

  #forget(app: KeptApp): void {
    const { deployId } = app.options
    if (this.#apps.get(deployId) !== app) return
    this.#apps.delete(deployId)
    this.unroute(deployId)
    this.#deps.onChange()
  }

  #checkFence({ appId, fence }: Pick<AppClaim, 'appId' | 'fence'>): void {
    if (fence < (this.#fences.get(appId) ?? 0)) throw new Error('another server hosts this app')
    this.#fences.set(appId, fence)
  }
}
