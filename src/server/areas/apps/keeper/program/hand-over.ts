import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type HandedOver, makeNamedPipes } from '#lib/pipes/process-pipes.ts'
import { identityOf, isSameProcess, killerOf, rememberProcess } from '#lib/processes/former-process.ts'
import { become, holdDescriptors, runToEnd } from '#lib/processes/start-process.ts'
import type { AppSums } from '../../counts/app-counts.ts'
import type { FrozenDoor } from '../../door/app-door.ts'
import { formatArguments, keeperArguments, keeperEntry, keeperEnvironment } from '../command.ts'
import type { FromKeeper, StartedBy } from '../messages.ts'
import { keeperFolder, upgradeFile } from '../place.ts'
import type { FrozenApps } from './kept-apps.ts'

/** Changed whenever `FrozenKeeper`, or a message between the keeper and the door, means something else than before. */
export const STATE_FORMAT = 1

/** A program of the keeper, and the Node that runs it. */
export type Program = { readonly execPath: string; readonly entry: string }

/** Everything that the next program in this process goes on with. */
export type FrozenKeeper = {
  readonly apps: FrozenApps
  /** Undefined: no process answers at the port of apps. `settings`: those that servers asked for. */
  readonly door: { readonly settings: string; readonly frozen: FrozenDoor } | undefined
  readonly log: readonly Extract<FromKeeper, { is: 'log' }>[]
  /** Counts of apps that no server has. Undefined: a former release counts nothing. */
  readonly counts?: readonly AppSums[]
  /** /proc/self/cgroup as the first program in this process found it. */
  readonly cgroup: string
}

type Sealed = { readonly keeper: FrozenKeeper; readonly holder: string }

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** A program that was tried, and the versions of its files. */
type TriedProgram = Program & { readonly versions: string }

/** Rejects unless the program starts here and can go on with the state of this one. */
export async function tryProgram(program: Program): Promise<TriedProgram> {
  const { execPath, entry } = program
  const versions = versionsOf(program)
  const { stdout } = await runToEnd(execPath, formatArguments(entry), keeperEnvironment())
  if (stdout.trim() !== String(STATE_FORMAT)) throw new Error('the other program cannot go on with apps of this one')
  return { execPath, entry, versions }
}

/** Differs after a file was replaced or written to. A part of a program may be executable, and would end all apps. */
function versionsOf({ execPath, entry }: Program): string {
  return [execPath, entry]
    .map((file) => `${statSync(file).ino} ${statSync(file).mtimeMs} ${statSync(file).size}`)
    .join()
}

/** Makes the pipe for the key of the state. */
export async function prepareHandOver(dataDir: string): Promise<void> {
  const { folder, key } = placesOf(dataDir)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  await makeNamedPipes([key])
}

/**
 * Becomes the next program. The state has variables and tokens of apps, so the file is encrypted, and its key is never on
 * a disk: it waits in a pipe. Throws, with nothing changed, if the program is not the one that was tried any more. If it
 * cannot be executed nevertheless, this program begins again and goes on with the same state.
 */
export function becomeNext(
  { descriptors, freeze }: HandedOver<FrozenKeeper>,
  { execPath, entry, versions }: TriedProgram,
  { dataDir, startedBy }: { readonly dataDir: string; readonly startedBy: StartedBy },
): void {
  accessSync(execPath, constants.X_OK)
  accessSync(entry, constants.R_OK)
  if (versionsOf({ execPath, entry }) !== versions) throw new Error('the other program was replaced after it was tried')
  const places = placesOf(dataDir)
  const pipe = openSync(places.key, constants.O_RDWR | constants.O_NONBLOCK)
  let holder: number | undefined
  try {
    holder = holdDescriptors([...descriptors, pipe])
    const state: Sealed = { keeper: freeze(), holder: identityOf(holder) }
    const key = randomBytes(KEY_BYTES)
    writeFileSync(places.state, seal(Buffer.from(JSON.stringify(state)), key), { mode: 0o600 })
    writeSync(pipe, key)
    rememberProcess(upgradeFile(dataDir), process.pid)
    const next = { file: execPath, args: keeperArguments(entry, dataDir, startedBy, 'goes-on') }
    const own = { file: process.execPath, args: keeperArguments(keeperEntry(), dataDir, startedBy, 'went-back') }
    become(next, own, keeperEnvironment())
  } catch (error) {
    closeSync(pipe)
    if (holder !== undefined) killerOf(holder)()
    for (const path of [places.folder, upgradeFile(dataDir)]) rmSync(path, { recursive: true, force: true })
    throw error
  }
}

/** Reads the state of the former program and removes it. `release` lets go of the pipes, once they are open again. */
export function takeHandOver(dataDir: string): { readonly keeper: FrozenKeeper; readonly release: () => void } {
  const { folder, key: path, state } = placesOf(dataDir)
  try {
    const key = Buffer.alloc(KEY_BYTES)
    const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    readSync(pipe, key)
    closeSync(pipe)
    const { keeper, holder } = JSON.parse(open(readFileSync(state), key)) as Sealed
    const release = isSameProcess(holder) ? killerOf(Number(holder.split(' ')[0])) : () => {}
    return { keeper, release }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function placesOf(dataDir: string) {
  const folder = join(keeperFolder(dataDir), 'hand-over')
  return { folder, key: join(folder, 'key'), state: join(folder, 'state') }
}

function seal(plain: Buffer, key: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function open(sealed: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}
