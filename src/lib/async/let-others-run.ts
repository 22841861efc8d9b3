import { setImmediate as nextRound } from 'node:timers/promises'

/** Lets waiting timers, sockets and requests of this process run. Call it between the parts of a long computation. */
export async function letOthersRun(): Promise<void> {
  await nextRound()
}
