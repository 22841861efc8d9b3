import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { workerEntry } from '#lib/files/bundle.ts'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { doorPermissions } from './door-permissions.ts'
import { fromDoor } from './from-door.ts'
import { receiveLines } from './lines.ts'
import type { FromDoor, ToDoor } from './messages.ts'
import { MAX_LINE_BYTES, MAX_UNREAD_BYTES } from './program/bounds.ts'

type Child = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }

type DoorOptions = {
  readonly onMessage: (message: FromDoor, door: DoorProcess) => void
  /** Called once, with how the process ended. */
  readonly onExit: (description: string) => void
  /** The script of the process. Tests use one that misbehaves. */
  readonly script?: string | undefined
}

/** One process that handles the bytes of apps. What it says is not trusted: a line that does not fit ends it. */
export type DoorProcess = {
  readonly pid: number
  readonly tell: (message: ToDoor) => void
  readonly kill: () => void
  /** Resolves with the exit code, or -1 after a signal. */
  readonly exited: Promise<number>
}

/**
 * Bodies pass through and nothing is kept, and buffers lie outside the heap. What takes it are headers: about 100 KB for
 * each request under way whose headers are as many and as long as the port allows.
 */
const HEAP = ['--max-old-space-size=160', '--max-semi-space-size=2']
const STDERR_BYTES = 2_000

/** Resolves when the process can be told what to do. It has none of our variables and reads none of our files. */
export async function startDoorProcess({ onMessage, onExit, script }: DoorOptions): Promise<DoorProcess> {
  const entry = script ?? workerEntry('src/server/areas/apps/door/program/door-child.ts')
  const args = [...HEAP, ...doorPermissions(entry), entry]
  const child = startProcess(process.execPath, args, { env: {}, cwd: '/', stdio: 'pipe' }) as Child
  const loaded = Promise.withResolvers<void>()
  const lastWords = keepStderr(child)
  let violation: string | undefined
  const refuse = (what: string) => {
    violation ??= what
    child.kill('SIGKILL')
  }
  child.stdin.on('error', () => {})
  receiveLines(child.stdout, MAX_LINE_BYTES, {
    onTooLong: () => refuse('it sent a line that is too long'),
    onLine: (line) => {
      const message = violation === undefined ? fromDoor.safeParse(jsonOrUndefined(line)).data : undefined
      if (!message) return refuse('it sent a line that is not of the protocol')
      if (message.is === 'loaded') loaded.resolve()
      else onMessage(message, door)
    },
  })
  const exited = new Promise<number>((resolve) => {
    // Not `exit`, which can come before the last lines that the process wrote.
    child.once('close', (code, signal) => {
      const description = `${violation ?? signal ?? `exit code ${code}`} ${lastWords()}`.trim()
      loaded.reject(new Error(`the process for the bytes of apps did not start: ${description}`))
      onExit(description)
      resolve(code ?? -1)
    })
  })
  child.once('error', loaded.reject)
  const door: DoorProcess = {
    pid: child.pid ?? 0,
    tell: (message) => {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`)
      if (child.stdin.writableLength > MAX_UNREAD_BYTES) refuse('it does not read what it is told')
    },
    kill: () => void child.kill('SIGKILL'),
    exited,
  }
  await loaded.promise
  return door
}

function keepStderr(child: Child): () => string {
  let text = ''
  child.stderr
    .on('error', () => {})
    .on('data', (bytes: Buffer) => {
      text = (text + bytes.toString('latin1')).slice(-STDERR_BYTES)
    })
  return () => text
}
