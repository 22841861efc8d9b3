import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { makePipes, ProcessPipes } from '#lib/pipes/process-pipes.ts'
import { identityOf, isSameProcess, untilProcessEnds } from '#lib/processes/former-process.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { DESCRIPTORS, type SandboxCommand } from './sandbox-command.ts'

const OUTPUTS = ['stdout', 'stderr', 'status'] as const
type Output = (typeof OUTPUTS)[number]
const PATH = '/usr/local/bin:/usr/bin:/bin'
/** How often it is looked whether a process has ended that another program started. */
const LOOK_MS = 100

/** A process of a sandbox with its streams. Either this program started it, or the one before it in this process did. */
export type StartedProcess = {
  readonly pid: number
  /** The process as `identityOf` names it. */
  readonly identity: string
  readonly stdin: Writable
  readonly output: Readonly<Record<Output, Readable>>
  readonly exited: Promise<unknown>
  readonly hasExited: () => boolean
  /** Resolves with the first process of the sandbox, as this machine counts; undefined where there is none. */
  readonly firstPid: Promise<number | undefined>
  /** Closes the streams. */
  readonly close: () => void
  /** Undefined: its pipes end with this program. */
  readonly pipes: ProcessPipes<Output> | undefined
}

/** The process for the next program in this process. `first` is the identity of the first process of its sandbox. */
export type ProcessRecord = { readonly identity: string; readonly first: string | undefined; readonly pipes: string }

type StartOptions = {
  readonly command: SandboxCommand
  /** The seccomp program that bubblewrap loads. Undefined: the command runs without a sandbox. */
  readonly filter: Buffer | undefined
  /** The folder for pipes that the next program can open. Undefined: it is not to find them. */
  readonly pipesFolder: string | undefined
  /** Called before the process starts any other, to limit all of them. */
  readonly limit: (pid: number) => void
}

export async function startConfined({ command, filter, pipesFolder, limit }: StartOptions): Promise<StartedProcess> {
  const start = (ends: readonly (number | 'pipe')[]): ChildProcess => {
    const [stdin, stdout, stderr, status] = ends as Four
    // Standard input, output and error, then DESCRIPTORS.
    const stdio = [stdin, stdout, stderr, 'pipe', 'pipe', status, 'pipe'] as const
    return startProcess(command.file, command.args, { cwd: '/', env: { PATH }, stdio: [...stdio] })
  }
  const isNamed = pipesFolder !== undefined && (await makePipes(pipesFolder, OUTPUTS))
  const { pipes, started: child } = isNamed
    ? ProcessPipes.start(pipesFolder, OUTPUTS, start)
    : { pipes: undefined, started: start(['pipe', 'pipe', 'pipe', 'pipe']) }
  const exited = once(child, 'exit')
  // It rejects if the process cannot be started, which is thrown below.
  exited.catch(() => {})
  const close = () => {
    // Undefined where there were too few descriptors for them.
    for (const stream of child.stdio ?? []) stream?.destroy()
    pipes?.close()
  }
  try {
    await once(child, 'spawn')
    // The limits come before the options: bubblewrap waits for its options and our script for its first message, so that
    // nothing else runs yet.
    limit(child.pid!)
  } catch (error) {
    child.kill('SIGKILL')
    if (child.pid !== undefined) await exited
    close()
    throw error
  }
  writeDescriptor(child, DESCRIPTORS.filter, filter ?? '')
  writeDescriptor(child, DESCRIPTORS.options, command.options)
  const pid = child.pid!
  return {
    pid,
    identity: identityOf(pid),
    stdin: pipes?.input ?? child.stdin!,
    output: pipes?.output ?? {
      stdout: child.stdout!,
      stderr: child.stderr!,
      status: descriptor(child, DESCRIPTORS.status) as Readable,
    },
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    firstPid: filter === undefined ? Promise.resolve(undefined) : readFirstPid(child),
    close,
    pipes,
  }
}

/** Takes over a process that the former program in this process started. Node reports its end to nobody, so it is looked for. */
export function adoptConfined({ identity, first, pipes: folder }: ProcessRecord): StartedProcess {
  const pipes = ProcessPipes.reopen(folder, OUTPUTS)
  const firstPid = first !== undefined && isSameProcess(first) ? Number(first.split(' ')[0]) : undefined
  return {
    pid: Number(identity.split(' ')[0]),
    identity,
    stdin: pipes.input,
    output: pipes.output,
    exited: untilProcessEnds(identity, LOOK_MS),
    hasExited: () => !isSameProcess(identity),
    firstPid: Promise.resolve(firstPid),
    close: () => pipes.close(),
    pipes,
  }
}

type Four = readonly [number | 'pipe', number | 'pipe', number | 'pipe', number | 'pipe']

/** Writes all that a descriptor of the process gets. */
export function writeDescriptor(child: ChildProcess, number: number, content: Buffer | string): void {
  const stream = descriptor(child, number) as Writable
  stream.on('error', () => {}).end(content)
}

async function readFirstPid(child: ChildProcess): Promise<number | undefined> {
  const info = await text(descriptor(child, DESCRIPTORS.info) as Readable).catch(() => '')
  return Number(/"child-pid": (\d+)/.exec(info)?.[1]) || undefined
}

function descriptor(child: ChildProcess, number: number): unknown {
  const streams: readonly unknown[] = child.stdio
  return streams[number]
}
