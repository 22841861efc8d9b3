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
    const pipes = ProcessPipes.reopen(folder, outputs)
    try {
      const flags = (index: number) => (index === 0 ? O_RDONLY | O_NONBLOCK : O_WRONLY)
      const ends = openAll([INPUT, ...outputs].map((name, index) => [join(folder, name), flags(index)]))
      try {
        return { pipes, started: start(ends) }
      } finally {
        for (const end of ends) closeSync(end)
      }
    } catch (error) {
      pipes.close()
      throw error
    }
  }

  /** Opens the pipes of a process that another program started. */
  static reopen<O extends string>(folder: string, outputs: readonly O[]): ProcessPipes<O> {
    // Opened for reading too, the input needs no reader yet. Outputs are only read, so that they end with their writer.
    const flags = (index: number) => (index === 0 ? O_RDWR : O_RDONLY) | O_NONBLOCK
    const own = openAll([INPUT, ...outputs].map((name, index) => [join(folder, name), flags(index)]))
    return new ProcessPipes(folder, outputs, own)
  }

  /** Whether everything that was written has left this process. */
  get isFlushed(): boolean {
    return this.input.writableLength === 0
  }

  /** Never throws: it is called when a process ends. */
  close(): void {
    this.input.destroy()
    for (const name of this.#outputs) this.output[name].destroy()
    try {
      rmSync(this.folder, { recursive: true, force: true })
    } catch {
      // The next keeper removes the folders of all pipes.
    }
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

/** Opens all of the files, or none if one cannot be opened. */
function openAll(files: readonly (readonly [path: string, flags: number])[]): number[] {
  const opened: number[] = []
  try {
    for (const [path, flags] of files) opened.push(openSync(path, flags))
    return opened
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor)
    throw error
  }
}
