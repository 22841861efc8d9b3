import type { Recording } from '#lib/net/play-recordings.ts'
import type { FromDoor } from '../messages.ts'
import { Recordings } from './recordings.ts'
import { type DoorKind, endsTheDoor } from './replay.ts'
import { type AnsweringDeploy, Suspects } from './suspects.ts'

export type HarmSearch = ReturnType<typeof createHarmSearch>

/**
 * Finds the deploy whose answers end the door. Deploys that had requests under way at one death are recorded from then on;
 * after the next death their recorded bytes, and nothing of a visitor, are given to doors that serve nobody.
 */
export function createHarmSearch(doors: DoorKind) {
  const suspects = new Suspects()
  const recordings = new Recordings()
  let searching: Promise<void> | undefined
  const search = async (taken: ReadonlyMap<string, readonly Recording[]>): Promise<void> => {
    for (const [deployId, each] of taken) {
      if (!(await endsTheDoor(each, doors))) continue
      const deploy = suspects.find(deployId)
      suspects.remove(deployId)
      deploy?.onHarmful()
    }
  }
  return {
    /** Returns the name under which answers of the deploy are recorded, or undefined if they are not. */
    recordedAs: (deploy: AnsweringDeploy | undefined): string | undefined =>
      deploy && suspects.isRecorded(deploy.deployId) ? deploy.deployId : undefined,
    receive(message: Extract<FromDoor, { is: 'recorded' }>): void {
      if (suspects.isRecorded(message.deploy)) recordings.add(message)
    },
    /** `deploys` had requests under way when the door died. */
    onDeath(deploys: readonly AnsweringDeploy[]): void {
      const taken = recordings.take()
      suspects.add(deploys)
      searching ??= search(taken).finally(() => {
        searching = undefined
      })
    },
    /** Resolves when the bytes that are recorded so far were judged. */
    settled: async (): Promise<void> => searching,
  }
}
