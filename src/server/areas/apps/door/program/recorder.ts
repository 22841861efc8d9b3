import type { OnReceived } from '#lib/net/socket-fetch.ts'
import type { AppAddress, FromDoor } from '../messages.ts'
import { MAX_RECORDED_BYTES } from './bounds.ts'

export type Recorder = ReturnType<typeof createRecorder>

/** Sends svc the first bytes of answers of suspected apps, before anything parses them. */
export function createRecorder(tell: (message: FromDoor) => void) {
  const deploys = new Map<string, string>()
  let nextConnection = 0
  return {
    /** Sets whether further connections to this address are recorded. Undefined: they are not. */
    set(address: AppAddress, deploy: string | undefined): void {
      if (deploy === undefined) deploys.delete(JSON.stringify(address))
      else deploys.set(JSON.stringify(address), deploy)
    },
    /** Returns what records a new connection, or undefined if it is to no suspected app. */
    watch(address: AppAddress): OnReceived | undefined {
      const deploy = deploys.get(JSON.stringify(address))
      if (deploy === undefined) return undefined
      const connection = nextConnection++
      let left = MAX_RECORDED_BYTES
      return (chunk) => {
        const bytes = chunk?.subarray(0, left).toString('base64') ?? ''
        if (chunk && left === 0) return
        left -= Math.min(left, chunk?.length ?? 0)
        tell({ is: 'recorded', connection, deploy, bytes, hasEnded: chunk === undefined })
      }
    },
  }
}
