import { rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { tarEnd, tarHeader, tarPadding } from '../../../source/tar.ts'
import { EntrySink } from './entry-sink.ts'

type Entry = { readonly file: string; readonly bytes: number; readonly sha256: string; readonly records: number | null }
type Failure = { readonly file: string; readonly reason: string }

const HEADER_BYTES = 512
/** Only the person who exported it may read what is unpacked. */
const MODE = '0000600'

/**
 * Writes a tar archive as `<path>.part`, which gets its name when it is complete and is removed when it is not. The header
 * of a file is written after its content, so that nothing is held in memory.
 */
export class Archive implements AsyncDisposable {
  readonly entries: Entry[] = []
  readonly failures: Failure[] = []
  readonly #path: string
  readonly #file: FileHandle
  #position = 0
  #isOpen = true
  readonly #removePart = () => rmSync(`${this.#path}.part`, { force: true })

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
    // Ctrl-C ends the process without any other notice.
    process.once('exit', this.#removePart)
  }

  static async open(path: string): Promise<Archive> {
    await rm(`${path}.part`, { force: true })
    return new Archive(path, await open(`${path}.part`, 'wx', 0o600))
  }

  get bytes(): number {
    return this.#position
  }

  /** Adds a file that `fill` writes. If it cannot be read, nothing of it stays, and its failure is remembered. */
  async add(name: string, fill: (sink: EntrySink) => Promise<void>): Promise<void> {
    const start = this.#position
    const sink = new EntrySink(this.#file, start + HEADER_BYTES)
    try {
      await fill(sink)
      await sink.flush()
    } catch (error) {
      if (sink.fault !== undefined) throw sink.fault
      await this.#file.truncate(start)
      this.fail(name, error)
      return
    }
    const { bytes, records } = sink
    const padding = tarPadding(bytes)
    await this.#file.write(padding, 0, padding.length, start + HEADER_BYTES + bytes)
    await this.#file.write(tarHeader(name, bytes, MODE), 0, HEADER_BYTES, start)
    this.#position = start + HEADER_BYTES + bytes + padding.length
    this.entries.push({ file: name, bytes, sha256: sink.digest(), records })
  }

  fail(name: string, error: unknown): void {
    this.failures.push({ file: name, reason: error instanceof Error ? error.message : String(error) })
  }

  /** Ends the archive and gives it its name. */
  async finish(): Promise<void> {
    const end = tarEnd()
    await this.#file.write(end, 0, end.length, this.#position)
    await this.#file.sync()
    await this.#close()
    await rename(`${this.#path}.part`, this.#path)
    process.off('exit', this.#removePart)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return
    await this.#close()
    this.#removePart()
    process.off('exit', this.#removePart)
  }

  async #close(): Promise<void> {
    this.#isOpen = false
    await this.#file.close()
  }
}
