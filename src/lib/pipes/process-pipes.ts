import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { readPipe, writePipe } from '../net/pipe-stream.ts'
import { runToEnd } from '../processes/start-process.ts'

const { O_RDONLY, O_RDWR, O_WRONLY, O_NONBLOCK } = constants
const INPUT = 'stdin'

/** A thing with pipes that another program in this process can go on with. */
export type HandedOver<F> = {
  /** Must stay open while this process becomes the other program. */
  readonly descriptors: readonly number[]
  /** Describes it as it is now, before anything else happens. */
  readonly freeze: () => F
}

/**
 * The pipes of a process, as named pipes in a folder. Unlike those that Node makes, they can be opened again by a program
 * that takes the place of this one in the same process.
 */
export class ProcessPipes<O extends string> {
  readonly folder: string
  readonly #outputs: readonly O[]
  /** The descriptors of this process. The pipes stay open while any other process has them too. */
  readonly descriptors: readonly number[]
  readonly input: Writable
  readonly output: Readonly<Record<O, Readable>>

  private constructor(folder: string, outputs: readonly O[], descriptors: readonly number[]) {
    this.folder = folder
    this.#outputs = outputs
    this.descriptors = descriptors
    this.input = writePipe(descriptors[0]!)
    const output = {} as Record<O, Readable>
    for (const [index, name] of outputs.entries()) {
      output[name] = readPipe(descriptors[index + 1]!)
    }
    this.output = output
  }

  /** Starts a process with its ends of pipes that `makePipes` made: standard input, then the outputs. */
  static start<O extends string, P>(
    folder: string,
    outputs: readonly O[],
    start: (ends: readonly number[]) => P,
  ): { readonly pipes: ProcessPipes<O>; readonly started: P } {
    const names = [INPUT, ...outputs].map((name) => join(folder, name))
    const own = openOwnEnds(folder, outputs)
    const ends = names.map((name, index) => openSync(name, index === 0 ? O_RDONLY | O_NONBLOCK : O_WRONLY))
    try {
      const started = start(ends)
      return { pipes: new ProcessPipes(folder, outputs, own), started }
    } finally {
      for (const end of ends) closeSync(end)
    }
  }

  /** Opens the pipes of a process that another program started. */
  static reopen<O extends string>(folder: string, outputs: readonly O[]): ProcessPipes<O> {
    return new ProcessPipes(folder, outputs, openOwnEnds(folder, outputs))
  }

  /** Whether everything that was written has left this process. */
  get isFlushed(): boolean {
    return this.input.writableLength === 0
  }

  close(): void {
    this.input.destroy()
    for (const name of this.#outputs) this.output[name].destroy()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Makes named pipes for a process. Returns false where that is not possible, such as without a program `mkfifo`. */
export async function makePipes(folder: string, outputs: readonly string[]): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await makeNamedPipes([INPUT, ...outputs].map((name) => join(folder, name)))
    return true
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return false
  }
}

/** Makes pipes that are found by their paths. Rejects where there is no program `mkfifo`. */
export async function makeNamedPipes(paths: readonly string[]): Promise<void> {
  await runToEnd('mkfifo', ['-m', '600', '--', ...paths])
}

/** Opened for reading too, the input needs no reader yet. Outputs are only read, so that they end with their writer. */
function openOwnEnds(folder: string, outputs: readonly string[]): number[] {
  const open = (name: string, flags: number) => openSync(join(folder, name), flags | O_NONBLOCK)
  return [open(INPUT, O_RDWR), ...outputs.map((name) => open(name, O_RDONLY))]
}
