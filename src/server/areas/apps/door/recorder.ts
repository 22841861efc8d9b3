import type { OnReceived } from '#lib/net/socket-fetch.ts'
import { MAX_RECORDED_BYTES } from './bounds.ts'
import type { AppAddress, FromDoor } from './messages.ts'

/** Tells svc the start of what suspected apps send, before anything reads it. */
export class Recorder {
  readonly #tell: (message: FromDoor) => void
  readonly #deploys = new Map<string, string>()
  #nextConnection = 0

  constructor(tell: (message: FromDoor) => void) {
    this.#tell = tell
  }

  /** Says whether further connections to this address are recorded. */
  set(address: AppAddress, deploy: string | undefined): void {
    if (deploy === undefined) this.#deploys.delete(JSON.stringify(address))
    else this.#deploys.set(JSON.stringify(address), deploy)
  }

  /** Returns what records a new connection, or undefined if it is to no suspected app. */
  watch(address: AppAddress): OnReceived | undefined {
    const deploy = this.#deploys.get(JSON.stringify(address))
    if (deploy === undefined) return undefined
    const connection = this.#nextConnection++
    let left = MAX_RECORDED_BYTES
    return (chunk) => {
      const bytes = chunk?.subarray(0, left).toString('base64') ?? ''
      if (chunk && left === 0) return
      left -= Math.min(left, chunk?.length ?? 0)
      this.#tell({ is: 'recorded', connection, deploy, bytes, hasEnded: chunk === undefined })
    }
  }
}
