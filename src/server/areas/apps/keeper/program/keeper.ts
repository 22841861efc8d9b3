import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { endsWithin } from '#lib/async/race.ts'
import { messageOf } from '#lib/message-of.ts'
import type { HandedOver } from '#lib/pipes/process-pipes.ts'
import { findControlGroups, readGroupFacts } from '#lib/processes/control-groups/control-groups.ts'
import type { GroupFacts } from '#lib/processes/control-groups/hierarchies.ts'
import { canBecome } from '#lib/processes/start-process.ts'
import { AppCounts } from '../../counts/app-counts.ts'
import { AppDoor } from '../../door/app-door.ts'
import type { NoRoute } from '../../door/messages.ts'
import type { AppNetwork } from '../../door/network.ts'
import type { FoundApp } from '../../door/routed-requests.ts'
import type { SandboxMachine } from '../../process/sandbox/sandbox.ts'
import { createSandboxMachine, endFrozen } from '../../process/sandbox/sandboxes.ts'
import { programDigest } from '../command.ts'
import {
  type CountedApps,
  type DoorOptions,
  type FromKeeper,
  PROTOCOL,
  type StartedBy,
  type ToKeeper,
} from '../messages.ts'
import { pipesFolder } from '../place.ts'
import { openWire } from '../wire.ts'
import { becomeNext, type FrozenKeeper, type Program, prepareHandOver, tryProgram } from './hand-over.ts'
import type { FrozenApp } from './kept-app.ts'
import { KeptApps } from './kept-apps.ts'
import { ServerConnection } from './server-connection.ts'
import { createSocketCount } from './socket-count.ts'

type KeeperOptions = {
  /** Held for as long as the keeper runs. */
  readonly lock: Disposable
  readonly dataDir: string
  /** The same for all keepers of a data folder, one after another. */
  readonly keeperId: string
  readonly startedBy: StartedBy
  /** The file that names the process of the door. */
  readonly pidFile: (port: number) => string
  /** Ends this process. */
  readonly exit: () => void
  /** /proc/self/cgroup as the first program in this process found it. Undefined: this program is the first. */
  readonly cgroup?: string | undefined
}

/** How long a stop waits for an app to end when asked to. */
const STOP_GRACE_MS = 3_000
/** A keeper of a server ends when it has had nothing to keep and no server for this long. */
const IDLE_MS = 10_000
const MAX_REMEMBERED_LOG = 100
/** For how long an upgrade waits for the end of builds, starts and stops. */
const UPGRADE_WAIT_MS = 2_000
const BETWEEN_MS = 20
/** How often it is read how much memory apps used, also while no server asks. */
const MEMORY_MS = 5_000

type LogEntry = Extract<FromKeeper, { is: 'log' }>

/**
 * Owns everything that outlives a server on this machine: the sandboxes of apps, what they write, and the process behind
 * their port. Servers connect, host apps under the fence of their lease, and go.
 */
export class Keeper {
  readonly #options: KeeperOptions
  readonly #servers = new Set<ServerConnection>()
  /** Those that are gone, while their builds end. */
  readonly #ending = new Set<ServerConnection>()
  readonly #program = programDigest()
  readonly #groupFacts: GroupFacts
  readonly machine: SandboxMachine
  readonly apps: KeptApps
  readonly #sockets: ReturnType<typeof createSocketCount>
  readonly #counts = new AppCounts()
  #door: { readonly settings: string; readonly opened: Promise<AppDoor> } | undefined
  #opened: AppDoor | undefined
  #idle: NodeJS.Timeout | undefined
  #log: LogEntry[] = []

  constructor(options: KeeperOptions) {
    this.#options = options
    const network: AppNetwork = {
      attach: (address, deploy) => this.#requireDoor().attach(address, deploy),
      openProxy: (facts, onRefused, signal) => this.#requireDoor().openProxy(facts, onRefused, signal),
    }
    this.#sockets = createSocketCount((label, was) => {
      for (const server of this.#servers) server.send({ is: 'socket', label, was })
    })
    const facts = readGroupFacts()
    this.#groupFacts = { ...facts, cgroup: options.cgroup ?? facts.cgroup }
    this.machine = createSandboxMachine({
      dataDir: options.dataDir,
      network,
      findGroups: (dataDir) => findControlGroups(dataDir, this.#groupFacts),
      pipes: pipesFolder(options.dataDir),
    })
    this.apps = new KeptApps({ machine: this.machine, network, onChange: () => this.#watchIdle() })
    setInterval(() => this.#countMemory(), MEMORY_MS).unref()
    this.#watchIdle()
  }

  connect(socket: Duplex): void {
    const server = new ServerConnection(this, {
      send: (message) => wire.send(message),
      isRoomy: () => wire.isRoomy(),
    })
    const wire = openWire<ToKeeper, FromKeeper>(socket, {
      onMessage: (message) => server.receive(message),
      onRoomy: () => {
        server.sendLines()
        this.apps.sendLines(server)
      },
      onClose: () => {
        this.#servers.delete(server)
        this.#ending.add(server)
        server.close()
        this.apps.leave(server)
        this.#watchIdle()
      },
    })
    this.#servers.add(server)
    this.#watchIdle()
    const { keeperId, startedBy } = this.#options
    const program = canBecome() ? { program: this.#program } : {}
    wire.send({ is: 'welcome', protocol: PROTOCOL, keeperId, startedBy, pid: process.pid, ...program })
    for (const entry of this.#log) wire.send(entry)
    for (const label of this.#sockets.labels()) wire.send({ is: 'socket', label, was: 'opened' })
    this.#log = []
  }

  /**
   * Opens the port of apps, or leaves it open if it is open with these settings. Other settings end all apps, because
   * their ways in and out change. Returns the port.
   */
  async openDoor(settings: DoorOptions): Promise<number> {
    const former = this.#door
    const port = settings.port === 0 ? (this.#opened?.port ?? 0) : settings.port
    const text = JSON.stringify({ ...settings, port })
    if (former?.settings !== text) {
      const opened = this.#openDoor({ ...settings, port }, former?.opened)
      this.#door = { settings: text, opened }
      opened.catch(() => {
        if (this.#door?.opened === opened) this.#door = undefined
      })
    }
    const door = await this.#door!.opened
    this.#door = { settings: JSON.stringify({ ...settings, port: door.port }), opened: this.#door!.opened }
    this.#opened = door
    return door.port
  }

  async closePort(): Promise<void> {
    await this.#opened?.closePort()
  }

  drain(): void {
    this.#opened?.drain()
  }

  takeCounts(): CountedApps {
    this.#countMemory()
    return { sums: this.#counts.take() }
  }

  async shutDown(): Promise<void> {
    await this.#opened?.closePort()
    await this.apps.stopAll(STOP_GRACE_MS)
    await this.#opened?.[Symbol.asyncDispose]()
    this.#options.exit()
  }

  /** Lets another program go on in this process, with the same apps and the same door. Rejects with the reason if it cannot. */
  async upgrade(program: Program): Promise<never> {
    const { dataDir, startedBy } = this.#options
    const tried = await tryProgram(program)
    await prepareHandOver(dataDir)
    try {
      await endsWithin(UPGRADE_WAIT_MS, this.#reportOutcomes(false))
      return await this.#handOverInTime((handedOver) => becomeNext(handedOver, tried, { dataDir, startedBy }))
    } finally {
      void this.#reportOutcomes(true)
    }
  }

  async #handOverInTime(becomeOther: (handedOver: HandedOver<FrozenKeeper>) => void): Promise<never> {
    const deadline = performance.now() + UPGRADE_WAIT_MS
    for (;;) {
      await delay(BETWEEN_MS)
      // Nothing that was read is half handed on when a callback of this kind begins.
      await new Promise((resolve, reject) => {
        setImmediate(() => {
          try {
            const handedOver = this.#handOver()
            if (handedOver) becomeOther(handedOver)
            resolve(undefined)
          } catch (error) {
            reject(error)
          }
        })
      })
      if (performance.now() > deadline) throw new Error('a build, a start or a stop of an app is under way')
    }
  }

  async #reportOutcomes(isOn: boolean): Promise<void> {
    await this.#opened?.reportOutcomes(isOn)
  }

  #countMemory(): void {
    for (const { label, bytes } of this.apps.takeMemoryPeaks()) this.#counts.memory(label, bytes)
  }

  /** Goes on with what the former program in this process kept. */
  async restore({ apps, door, log, counts = [] }: FrozenKeeper): Promise<void> {
    this.#log = [...log]
    this.#counts.add(counts)
    if (!door && apps.apps.length > 0) throw new Error('the state has apps without a door')
    if (!door) return
    const { settings } = door.frozen
    const opened = AppDoor.adopt(this.#doorOptions(settings), door.frozen)
    opened.serve((label) => this.#find(label))
    this.#opened = opened
    this.#door = { settings: door.settings, opened: Promise.resolve(opened) }
    await this.apps.restore(apps, (app, error) => this.#endLost(app, error))
    opened.resume((deployId) => this.apps.countedBy(deployId))
    this.#watchIdle()
  }

  /** Ends what runs of an instance that cannot be taken over. Rejects if that is not possible: it must not run twice. */
  async #endLost({ options: { appId }, sandbox }: FrozenApp, error: unknown): Promise<void> {
    this.log('error', { app: appId, error: messageOf(error) }, 'an app could not be taken over; it is started again')
    if (sandbox) await endFrozen(sandbox, this.machine)
  }

  /** Undefined while a build, a start or a stop is under way. */
  #handOver(): HandedOver<FrozenKeeper> | undefined {
    for (const server of this.#ending) if (!server.isBuilding()) this.#ending.delete(server)
    if ([...this.#servers, ...this.#ending].some((server) => server.isBuilding())) return undefined
    const apps = this.apps.handOver()
    const door = this.#opened?.handOver()
    // Without a door there is nothing to go on with but apps, which belong to one.
    const needsDoor = this.apps.size > 0 || this.#opened?.isStarted
    if (!apps || (this.#door && !this.#opened) || (needsDoor && !door)) return undefined
    const { cgroup } = this.#groupFacts
    const freeze = (): FrozenKeeper => ({
      apps: apps.freeze(),
      door: door && { settings: this.#door!.settings, frozen: door.freeze() },
      log: this.#log,
      counts: this.#counts.read(),
      cgroup,
    })
    return { descriptors: [...apps.descriptors, ...(door?.descriptors ?? [])], freeze }
  }

  log(level: LogEntry['level'], details: object, message: string): void {
    const entry = { is: 'log', level, details, message } as const
    const [server] = this.#servers
    if (server) server.send(entry)
    else this.#log = [...this.#log, entry].slice(-MAX_REMEMBERED_LOG)
  }

  async #openDoor(settings: DoorOptions, former: Promise<AppDoor> | undefined): Promise<AppDoor> {
    const open = await former?.catch(() => undefined)
    if (open) {
      await this.apps.stopAll(STOP_GRACE_MS)
      this.#opened = undefined
      await open[Symbol.asyncDispose]()
    }
    const door = await AppDoor.open(this.#doorOptions(settings))
    door.serve((label) => this.#find(label))
    return door
  }

  #doorOptions(settings: DoorOptions) {
    const log = {
      warn: (details: object, message: string) => this.log('warn', details, message),
      error: (details: object, message: string) => this.log('error', withText(details), message),
    }
    const { pidFile, dataDir } = this.#options
    const newFolder = () => join(pipesFolder(dataDir), randomBytes(6).toString('hex'))
    return { settings, log, series: this.#sockets, counts: this.#counts, pidFile, pipesFolder: newFolder }
  }

  #requireDoor(): AppDoor {
    if (!this.#opened) throw new Error('the port of apps is not open')
    return this.#opened
  }

  async #find(label: string): Promise<FoundApp> {
    const found = this.apps.findLabel(label)
    if (found) return found
    const server = [...this.#servers].at(-1)
    if (!server) return { to: { type: 'not_running' } }
    const to: NoRoute = await server.lookUp(label)
    // A server that has ended meanwhile did not look.
    return { to, isApp: to.type === 'not_running' && server.isOpen() }
  }

  #watchIdle(): void {
    clearTimeout(this.#idle)
    const isIdle = this.#servers.size === 0 && this.apps.size === 0
    if (!isIdle || this.#options.startedBy === 'operator') return
    this.#idle = setTimeout(() => void this.shutDown(), IDLE_MS)
  }
}

/** An error is no JSON. */
function withText(details: object): object {
  return 'error' in details ? { ...details, error: messageOf(details.error) } : details
}
