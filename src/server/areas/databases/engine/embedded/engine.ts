import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '#lib/files/remove-folder.ts'
import { findBubblewrap, rememberFound } from '#lib/processes/bubblewrap.ts'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import type { Managed, ManagedEngine } from '../engine.ts'
import { dumpCopy } from './dump-copy.ts'
import { copyPlainFolder } from './engine-folder.ts'
import { stopped } from './engine-stopped.ts'
import { folderSize } from './folder-size.ts'
import { loginOf, previewRole, setUp } from './logins.ts'
import { openOwnConnection } from './own-connection.ts'
import { OWN_TYPES } from './own-types.ts'
import { readPort, writePort } from './port-file.ts'
import { tryWalls } from './sandbox.ts'
import { Session } from './session.ts'
import { engineStarter, makeFolder } from './start-engine.ts'
import type { Startup } from './wire-login.ts'
import { WireServer } from './wire-server.ts'
import type { WireLogin } from './wire-session.ts'

const MIB = 1024 * 1024
/** Files of one database that are counted: an empty one has about 1,000. */
const MAX_FILES = 50_000
const DEFAULTS = {
  /** A statement of the owner's may run this long. */
  statementMs: 5 * 60_000,
  idleInTransactionMs: 10_000,
  /** An engine that nobody uses is stopped after this long. */
  idleMs: 5 * 60_000,
  /** Bytes of one row, of all of a platform connection's answer, and of an engine's memory. */
  rowBytes: 64 * MIB,
  ownAnswerBytes: 64 * MIB,
  memoryBytes: 1024 * MIB,
}

export type EmbeddedOptions = Partial<typeof DEFAULTS> & {
  dataDir: string
  limit: number
  /** Finds the managed database of that physical name, when it is ready. */
  find: (physicalName: string) => Promise<Managed | undefined>
  onError: (error: unknown) => void
  /** Where to look for bubblewrap; an empty list does without. */
  bubblewrapPlaces?: string[]
  /** The script of the engine's process; tests put one in place that misbehaves. */
  script?: string
}

/** An engine of its own for each database, in a process of its own, reached through one small server. */
export function createEmbeddedEngine(options: EmbeddedOptions): ManagedEngine {
  const settings = { ...DEFAULTS, ...options }
  const { dataDir, limit, find, onError } = settings
  const folderOf = (name: string) => join(dataDir, 'databases', name)
  const sessions = new Map<string, Session>()
  /** Names of dropped databases. A login that began before the drop must not open one again. */
  const dropped = new Set<string>()
  let closed = false
  const sandbox = rememberFound(() =>
    findBubblewrap((bubblewrap) => tryWalls(bubblewrap, process.execPath), options.bubblewrapPlaces),
  )
  const startEngine = engineStarter(settings, sandbox)
  let startFault: unknown
  const start = async (folder: string) => {
    try {
      const engine = await startEngine(folder)
      startFault = undefined
      return engine
    } catch (error) {
      startFault = error
      throw error
    }
  }
  const session = (name: string): Session => {
    if (closed || dropped.has(name)) throw stopped.closed()
    const open =
      sessions.get(name) ?? new Session({ start: () => start(folderOf(name)), idleMs: settings.idleMs, onError })
    sessions.set(name, open)
    return open
  }
  const login = async ({ user, database }: Startup): Promise<WireLogin | undefined> => {
    const managed = await find(database)
    return managed && loginOf(managed, user, () => session(database), settings)
  }
  const portFile = join(dataDir, 'databases', 'port')
  const rememberedPort = readPort(portFile)
  const onPort = (port: number) => writePort(portFile, port)
  const server = new WireServer({ ...settings, find: login, rememberedPort, onPort })
  if (rememberedPort !== undefined) {
    // Connection strings that were given out before a restart work again without anybody asking for one.
    server.port().catch(onError)
    // Tried now, so that the first engine need not wait for the result.
    void sandbox()
  }
  const close = async (name: string) => {
    const open = sessions.get(name)
    sessions.delete(name)
    await open?.close()
  }
  const end = async (name: string) => {
    dropped.add(name)
    server.disconnect(name)
    await close(name)
  }
  const copyFiles = (name: string, to: string) =>
    session(name).whileStopped(async () => {
      await endFormerProcess(`${folderOf(name)}.pid`)
      await copyPlainFolder(folderOf(name), to)
    })
  const address = async () => ({ host: '127.0.0.1', port: await server.port(), search: '' })
  return {
    name: 'embedded',
    limit,
    warning: async () => {
      const found = await sandbox()
      return 'missing' in found ? withoutSandbox(found.missing) : undefined
    },
    async create(managed) {
      await makeFolder(folderOf(managed.physical_name))
      await session(managed.physical_name).runAsPlatform(setUp(managed))
    },
    previewRole: async (managed) => previewRole(managed),
    // The folder is read and not the engine asked, because a question would start one that is stopped.
    async sizesOf(names) {
      const sizes = new Map<string, number>()
      for (const name of names) {
        const bytes = await folderSize(folderOf(name), MAX_FILES)
        if (bytes !== undefined) sizes.set(name, bytes)
      }
      return sizes
    },
    async ping() {
      if (startFault !== undefined) throw new Error('the last engine could not be started', { cause: startFault })
    },
    copyFiles,
    dumpSql: (name, signal) => dumpCopy((to) => copyFiles(name, to), { ...settings, sandbox, signal }),
    activityOf: (name) => sessions.get(name)?.activity() ?? 'stopped',
    endLogins: async ({ physical_name }) => end(physical_name),
    async drop({ physical_name }) {
      await end(physical_name)
      await endFormerProcess(`${folderOf(physical_name)}.pid`)
      await rm(`${folderOf(physical_name)}.pid`, { force: true })
      await removeFolder(folderOf(physical_name), onError)
    },
    publicAddress: address,
    ownAddress: address,
    ownTypes: OWN_TYPES,
    ownConnection: () => openOwnConnection((connection) => server.serveOwn(connection)),
    async close() {
      closed = true
      await server.close().catch(onError)
      await Promise.all([...sessions.keys()].map(close))
    },
  }
}

function withoutSandbox(missing: string): string {
  return (
    `${missing}: embedded databases run with Node's restrictions only, so whoever has a connection string of one must ` +
    'be trusted with this machine. Install bubblewrap (on Debian: apt-get install bubblewrap), or use Postgres.'
  )
}
