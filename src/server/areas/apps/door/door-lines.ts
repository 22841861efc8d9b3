import type { Readable, Writable } from 'node:stream'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'
import { type HandedOver, ProcessPipes } from '#lib/pipes/process-pipes.ts'
import { isSameProcess, killerOf, untilProcessEnds } from '#lib/processes/former-process.ts'
import { fromDoor } from './from-door.ts'
import { receiveLines } from './lines.ts'
import type { FromDoor, ToDoor } from './messages.ts'
import { MAX_LINE_BYTES, MAX_UNREAD_BYTES } from './program/bounds.ts'

export const DOOR_OUTPUTS = ['stdout', 'stderr'] as const

/** A process with its streams. Either this program started it, or the one before it in this process did. */
export type PipedChild = {
  readonly pid: number
  /** The process as `identityOf` names it. */
  readonly identity: string
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly kill: () => void
  /** Rejects if the process could not be started. */
  readonly fault: Promise<never>
  readonly ended: Promise<{ readonly code: number | null; readonly description: string }>
  /** Undefined: its pipes end with this program. */
  readonly pipes: ProcessPipes<(typeof DOOR_OUTPUTS)[number]> | undefined
}

/** One process that handles the bytes of apps. What it says is not trusted: a line that does not fit ends it. */
export type DoorProcess = {
  readonly pid: number
  readonly tell: (message: ToDoor) => void
  readonly kill: () => void
  /** Resolves with the exit code, or -1 after a signal. */
  readonly exited: Promise<number>
  /** Lets another program go on with it in this process. Undefined while that is not possible. */
  readonly handOver: () => HandedOver<FrozenDoorProcess> | undefined
}

export type DoorHandlers = {
  readonly onMessage: (message: FromDoor, door: DoorProcess) => void
  /** Called once, with how the process ended. */
  readonly onExit: (description: string) => void
}

/** The process for the next program in this one. `rest` has the bytes after its last whole line, in base64. */
export type FrozenDoorProcess = { readonly identity: string; readonly pipes: string; readonly rest: string }

const STDERR_BYTES = 2_000
/** How often it is looked whether a process has ended that another program started. */
const LOOK_MS = 50

/** Takes over a process that the former program in this process started. Node reports its end to nobody, so it is looked for. */
export function adoptDoorProcess(
  { identity, pipes: folder, rest }: FrozenDoorProcess,
  handlers: DoorHandlers,
): DoorProcess {
  const pipes = ProcessPipes.reopen(folder, DOOR_OUTPUTS)
  const pid = Number(identity.split(' ')[0])
  const ended = untilProcessEnds(identity, LOOK_MS).then(() => ({ code: null, description: 'it ended' }))
  const kill = isSameProcess(identity) ? killerOf(pid) : () => {}
  const fault = new Promise<never>(() => {})
  const child = { pid, identity, stdin: pipes.input, ...pipes.output, kill, fault, ended, pipes }
  const { door, loaded } = followDoor(child, handlers, Buffer.from(rest, 'base64'))
  loaded.catch(() => {})
  return door
}

/** Hands on what the process says until it ends. `loaded` resolves when it can be told what to do. */
export function followDoor(
  child: PipedChild,
  { onMessage, onExit }: DoorHandlers,
  rest?: Buffer,
): { readonly door: DoorProcess; readonly loaded: Promise<void> } {
  const { stdin, stdout, pipes } = child
  const loaded = Promise.withResolvers<void>()
  const lastWords = keepStderr(child)
  let violation: string | undefined
  let hasEnded = false
  const refuse = (what: string) => {
    violation ??= what
    child.kill()
  }
  stdin.on('error', () => {})
  const onLine = (line: string) => {
    const message = violation === undefined ? fromDoor.safeParse(jsonOrUndefined(line)).data : undefined
    if (!message) return refuse('it sent a line that is not of the protocol')
    if (message.is === 'loaded') loaded.resolve()
    else onMessage(message, door)
  }
  const onTooLong = () => refuse('it sent a line that is too long')
  const takeRest = receiveLines(stdout, MAX_LINE_BYTES, { onLine, onTooLong }, rest)
  const exited = child.ended.then(({ code, description: end }) => {
    hasEnded = true
    pipes?.close()
    const description = `${violation ?? end} ${lastWords()}`.trim()
    loaded.reject(new Error(`the process for the bytes of apps did not start: ${description}`))
    onExit(description)
    return code ?? -1
  })
  child.fault.catch(loaded.reject)
  const door: DoorProcess = {
    pid: child.pid,
    tell: (message) => {
      if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`)
      if (stdin.writableLength > MAX_UNREAD_BYTES) refuse('it does not read what it is told')
    },
    kill: child.kill,
    exited,
    handOver: () => {
      if (!pipes?.isFlushed || hasEnded || violation !== undefined || !isSameProcess(child.identity)) return undefined
      const freeze = () => ({ identity: child.identity, pipes: pipes.folder, rest: takeRest().toString('base64') })
      return { descriptors: pipes.descriptors, freeze }
    },
  }
  return { door, loaded: loaded.promise }
}

function keepStderr({ stderr }: PipedChild): () => string {
  let text = ''
  stderr
    .on('error', () => {})
    .on('data', (bytes: Buffer) => {
      text = (text + bytes.toString('latin1')).slice(-STDERR_BYTES)
    })
  return () => text
}
