import type { ChildProcess, StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { orAborted } from '#lib/async/race.ts'
import { workerEntry } from '#lib/files/bundle.ts'
import { makePipes, ProcessPipes } from '#lib/pipes/process-pipes.ts'
import { identityOf } from '#lib/processes/former-process.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { DOOR_OUTPUTS, type DoorHandlers, type DoorProcess, followDoor, type PipedChild } from './door-lines.ts'
import { doorPermissions } from './door-permissions.ts'

export type { DoorProcess } from './door-lines.ts'

type DoorOptions = DoorHandlers & {
  /** The script of the process. Tests use one that misbehaves. */
  readonly script?: string | undefined
  /** The folder for pipes that the next program in this process can open. Undefined: it is not to find them. */
  readonly pipesFolder?: string | undefined
  /** Ends a process that is not needed any more before it can be told what to do. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Bodies pass through and nothing is kept, and buffers lie outside the heap. What takes it are headers: about 100 KB for
 * each request under way whose headers are as many and as long as the port allows.
 */
const HEAP = ['--max-old-space-size=160', '--max-semi-space-size=2']

/** Resolves when the process can be told what to do. It has none of our variables and reads none of our files. */
export async function startDoorProcess(options: DoorOptions): Promise<DoorProcess> {
  const { script, pipesFolder, signal, ...handlers } = options
  const entry = script ?? workerEntry('src/server/areas/apps/door/program/door-child.ts')
  const args = [...HEAP, ...doorPermissions(entry), entry]
  const start = (stdio: StdioOptions) => startProcess(process.execPath, args, { env: {}, cwd: '/', stdio })
  const isNamed = pipesFolder !== undefined && (await makePipes(pipesFolder, DOOR_OUTPUTS))
  const { door, loaded } = followDoor(isNamed ? startNamed(pipesFolder, start) : startPiped(start('pipe')), handlers)
  try {
    await (signal ? orAborted(loaded, signal) : loaded)
  } catch (error) {
    door.kill()
    throw error
  }
  return door
}

/** Throws for a process that could not be started for want of descriptors: it has no streams, and its end is never reported. */
function requireStarted(child: ChildProcess): void {
  // Without a listener the event would end this process.
  child.on('error', () => {})
  if (child.pid === undefined) throw new Error('the process for the bytes of apps could not be started')
}

function startPiped(child: ChildProcess): PipedChild {
  requireStarted(child)
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the process has no pipes')
  // Not `exit`, which can come before the last lines that the process wrote.
  return { ...partsOf(child), stdin, stdout, stderr, ended: endOf(child), pipes: undefined }
}

function startNamed(folder: string, start: (stdio: StdioOptions) => ChildProcess): PipedChild {
  const { pipes, started: child } = ProcessPipes.start(folder, DOOR_OUTPUTS, (ends) => start([...ends]))
  try {
    requireStarted(child)
  } catch (error) {
    pipes.close()
    throw error
  }
  const { stdout, stderr } = pipes.output
  const closed = [stdout, stderr].map((stream) => once(stream, 'close').catch(() => {}))
  const ended = Promise.all([endOf(child), ...closed]).then(([end]) => end)
  return { ...partsOf(child), stdin: pipes.input, stdout, stderr, ended, pipes }
}

function partsOf(child: ChildProcess) {
  const pid = child.pid ?? 0
  const fault = new Promise<never>((_, reject) => child.once('error', reject))
  return { pid, identity: identityOf(pid), fault, kill: () => void child.kill('SIGKILL') }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; description: string }> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, description: signal ?? `exit code ${code}` }))
  })
}
