import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

const BUFFER_BYTES = 256 * 1024

/** Takes the content of one file of the archive, and writes it behind the header. */
export class EntrySink {
  bytes = 0
  /** Lines of an NDJSON file; null for any other. */
  records: number | null = null
  /** The error of this machine's disk, which no other file would escape. */
  fault: unknown
  readonly #file: FileHandle
  readonly #start: number
  readonly #hash = createHash('sha256')
  #waiting: Buffer[] = []
  #waitingBytes = 0

  constructor(file: FileHandle, start: number) {
    this.#file = file
    this.#start = start
  }

  async write(content: Uint8Array | string): Promise<void> {
    const bytes = Buffer.from(content)
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= BUFFER_BYTES) await this.flush()
  }

  async record(value: unknown): Promise<void> {
    this.records = (this.records ?? 0) + 1
    await this.write(`${JSON.stringify(value)}\n`)
  }

  async flush(): Promise<void> {
    const content = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#hash.update(content)
    try {
      for (let at = 0; at < content.length; ) {
        const { bytesWritten } = await this.#file.write(content, at, content.length - at, this.#start + this.bytes)
        at += bytesWritten
        this.bytes += bytesWritten
      }
    } catch (error) {
      this.fault = error
      throw error
    }
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}
