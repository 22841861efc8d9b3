import { randomInt } from 'node:crypto'
import { chmod, chown, link, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { OnLine } from '../../deploys/target.ts'
import type { ProxyFacts } from '../../door/messages.ts'
import type { AppNetwork } from '../../door/network.ts'
import { refusalLog } from './refusal-log.ts'
import { openTokenFile, reopenTokenFile, type TokenFile } from './token-file.ts'

type WorkplaceOptions = {
  /** The user of the sandbox on this machine, where svc is root. */
  readonly uid: number | undefined
  readonly apiOrigin: string | undefined
  /** False: nothing outside can be reached. */
  readonly hasNetwork: boolean
  readonly onLine: OnLine
  /** Needed where `hasNetwork`. */
  readonly network?: Pick<AppNetwork, 'openProxy'>
  /** The first token of a live instance. Undefined: it gets none. */
  readonly token?: string | undefined
  /** The file that names the folder while it exists, so that it is removed after a crash of svc. */
  readonly placeFile: string | undefined
  /** Ends the wait for the way out. */
  readonly signal?: AbortSignal | undefined
}

/** How the names of such files end. */
export const PLACE = '.place'

/** The short-lived files around one sandbox: its sockets and the few files of its /etc. */
type Workplace = AsyncDisposable & {
  readonly run: string
  readonly out: string
  readonly etc: string
  /** Empty folder for HOME where there is no sandbox. */
  readonly home: string
  /** Folder with the file `token`, if there is one. */
  readonly identity: string | undefined
  readonly tokenFile: TokenFile | undefined
  /**
   * Takes the socket that our script made to a place that the app cannot reach, and removes the folder that it was made
   * in. Otherwise the app could put a link to another socket of this machine in its place, or fill the disk there.
   */
  readonly takeSocket: () => Promise<string>
  readonly record: WorkplaceRecord
}

/** A workplace for the next program in this process. */
export type WorkplaceRecord = {
  readonly folder: string
  readonly placeFile: string | undefined
  readonly uid: number | undefined
  /** Undefined: nothing outside can be reached. */
  readonly proxy: ProxyFacts | undefined
  readonly hasToken: boolean
}

/** Short, because the path of a Unix socket has at most 107 bytes. */
const PREFIX = 'svc-app-'

export async function openWorkplace(options: WorkplaceOptions): Promise<Workplace> {
  const { uid, hasNetwork, apiOrigin, placeFile, token } = options
  const base = tmpdir().length > 60 ? '/tmp' : tmpdir()
  const folder = await mkdtemp(join(base, PREFIX))
  const { run, out, etc, home, identity } = placesIn(folder)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => removeFiles(folder, placeFile))
  if (placeFile !== undefined) await writeFile(placeFile, folder, { mode: 0o600 })
  for (const each of [run, out, etc, home]) await mkdir(each)
  for (const each of [out, etc]) await chmod(each, 0o755)
  if (uid !== undefined) await chown(run, uid, uid)
  for (const [name, content] of Object.entries(configuration(uid ?? INNER_UID))) {
    await writeFile(join(etc, name), content)
    await chmod(join(etc, name), 0o644)
  }
  const path = join(out, 'proxy.sock')
  const proxy = hasNetwork ? { path, ownOrigin: apiOrigin, ownClientAddress: clientAddress() } : undefined
  if (proxy) opened.use(await openProxy(proxy, options))
  const tokenFile = token === undefined ? undefined : opened.use(await openTokenFile({ folder: identity, uid, token }))
  const takeSocket = async () => {
    const taken = takenSocket(folder)
    await link(join(run, 'app.sock'), taken)
    if (!(await lstat(taken)).isSocket()) throw new Error('the socket of the app is not one')
    await rm(run, { recursive: true })
    return taken
  }
  const workplace = opened.move()
  return {
    run,
    out,
    etc,
    home,
    identity: tokenFile && identity,
    tokenFile,
    takeSocket,
    record: { folder, placeFile, uid, proxy, hasToken: tokenFile !== undefined },
    [Symbol.asyncDispose]: () => workplace.disposeAsync(),
  }
}

/** Goes on with the workplace of a sandbox that runs. Its way out is open already where the door goes on. */
export async function reopenWorkplace(
  { folder, placeFile, uid, proxy, hasToken }: WorkplaceRecord,
  options: Pick<WorkplaceOptions, 'network' | 'onLine'>,
): Promise<AsyncDisposable & { readonly tokenFile: TokenFile | undefined; readonly socket: string }> {
  await using opened = new AsyncDisposableStack()
  opened.defer(() => removeFiles(folder, placeFile))
  if (proxy) opened.use(await openProxy(proxy, options))
  const { identity } = placesIn(folder)
  const tokenFile = hasToken ? opened.use(reopenTokenFile({ folder: identity, uid })) : undefined
  const workplace = opened.move()
  return { tokenFile, socket: takenSocket(folder), [Symbol.asyncDispose]: () => workplace.disposeAsync() }
}

async function removeFiles(folder: string, placeFile: string | undefined): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  if (placeFile !== undefined) await rm(placeFile, { force: true })
}

function placesIn(folder: string) {
  const [run, out, etc, home, identity] = ['run', 'out', 'etc', 'home', 'identity'].map((name) =>
    join(folder, name),
  ) as Five
  return { run, out, etc, home, identity }
}

function takenSocket(folder: string): string {
  return join(folder, 'app.sock')
}

async function openProxy(
  facts: ProxyFacts,
  { network, onLine, signal }: Pick<WorkplaceOptions, 'network' | 'onLine' | 'signal'>,
): Promise<AsyncDisposable> {
  if (!network) throw new Error('no network was given')
  return network.openProxy(facts, refusalLog(onLine), signal)
}

/** Removes the folder that a file names, if it is one of ours. */
export async function removeWorkplace(placeFile: string): Promise<void> {
  const folder = await readFile(placeFile, 'utf8').catch(() => '')
  if (basename(folder).startsWith(PREFIX)) await rm(folder, { recursive: true, force: true })
}

type Five = [string, string, string, string, string]
/** The user inside a user namespace. */
const INNER_UID = 1000

function configuration(uid: number): Record<string, string> {
  return {
    passwd: `root:x:0:0:root:/:/bin/sh\napp:x:${uid}:${uid}:app:/tmp:/bin/sh\n`,
    group: `root:x:0:\napp:x:${uid}:\n`,
    hosts: '127.0.0.1 localhost app\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  }
}

/** An address of its own for each sandbox, so that its failures do not count for the people on this machine. */
function clientAddress(): string {
  return `127.${randomInt(64, 128)}.${randomInt(256)}.${randomInt(1, 255)}`
}
