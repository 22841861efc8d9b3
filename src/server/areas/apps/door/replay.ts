import { endsWithin } from '#lib/race.ts'
import { type DoorProcess, startDoorProcess } from './door-process.ts'
import type { AppAddress } from './messages.ts'

export type Suspect = { readonly address: AppAddress; readonly path: string }

const ANSWER_MS = 3_000
const REPLAYS = 2

/**
 * Tells whether the answer of an app ends the process that reads it: it is asked again, alone, with a plain GET that svc
 * itself makes, in a process that serves nobody. Nothing of a visitor but the path is in it, so that no visitor can bring
 * another app into disrepute. Every replay must end the process.
 */
export async function endsTheDoor(suspect: Suspect, script: string | undefined): Promise<boolean> {
  for (let n = 0; n < REPLAYS; n++) if (!(await endsOne(suspect, script))) return false
  return true
}

async function endsOne({ address, path }: Suspect, script: string | undefined): Promise<boolean> {
  const answered = Promise.withResolvers<void>()
  let door: DoorProcess
  try {
    door = await startDoorProcess({
      onMessage: ({ is }) => void ((is === 'body' || is === 'unanswered') && answered.resolve()),
      onExit: () => answered.resolve(),
      script,
    })
  } catch {
    return false
  }
  door.tell({ do: 'fetch', id: 0, address, path, headers: [] })
  await endsWithin(ANSWER_MS, answered.promise)
  // An error that the answer caused may come a moment after it, and a door that is well ends with code 0, also when the
  // app has not answered in time, which proves nothing.
  door.tell({ do: 'stop' })
  const hasEnded = await endsWithin(ANSWER_MS, door.exited)
  door.kill()
  return hasEnded && (await door.exited) !== 0
}
