import type { Recording } from '#lib/net/play-recordings.ts'
import type { FromDoor } from '../messages.ts'
import { MAX_RECORDED_BYTES, MAX_UNDER_WAY_PER_APP } from '../program/bounds.ts'

type Growing = { chunks: Uint8Array[]; size: number; hasEnded: boolean }

/** The bytes that suspected deploys sent to one door: the start of each of their last connections. Nothing reads them. */
export class Recordings {
  readonly #byDeploy = new Map<string, Map<number, Growing>>()

  add({ connection, deploy, bytes, hasEnded }: Extract<FromDoor, { is: 'recorded' }>): void {
    const connections = this.#byDeploy.get(deploy) ?? new Map<number, Growing>()
    this.#byDeploy.set(deploy, connections)
    const recording = connections.get(connection) ?? { chunks: [], size: 0, hasEnded: false }
    const chunk = Buffer.from(bytes, 'base64').subarray(0, MAX_RECORDED_BYTES - recording.size)
    recording.chunks.push(chunk)
    recording.size += chunk.length
    recording.hasEnded ||= hasEnded
    // The one that ended the door was written to last, so the first is the one that got nothing for longest.
    connections.delete(connection)
    connections.set(connection, recording)
    const [oldest] = connections.keys()
    if (connections.size > MAX_UNDER_WAY_PER_APP && oldest !== undefined) connections.delete(oldest)
  }

  /** Returns what was recorded of each deploy, and forgets it. */
  take(): ReadonlyMap<string, readonly Recording[]> {
    const taken = new Map([...this.#byDeploy].map(([deploy, each]) => [deploy, [...each.values()]]))
    this.#byDeploy.clear()
    return taken
  }
}
