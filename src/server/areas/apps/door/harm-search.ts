import type { Recording } from '#lib/net/play-recordings.ts'
import type { FromDoor } from './messages.ts'
import { Recordings } from './recordings.ts'
import { endsTheDoor } from './replay.ts'
import { type AnsweringDeploy, Suspects } from './suspects.ts'

/**
 * Finds the deploy whose answers end the door. Deploys that had requests under way at one death are recorded from then on;
 * after the next death their recorded bytes, and nothing of a visitor, are given to doors that serve nobody.
 */
export class HarmSearch {
  readonly #script: string | undefined
  readonly #suspects = new Suspects()
  readonly #recordings = new Recordings()
  #searching: Promise<void> | undefined

  constructor(script: string | undefined) {
    this.#script = script
  }

  /** Returns the name under which answers of the deploy are recorded, or undefined if they are not. */
  recordedAs(deploy: AnsweringDeploy | undefined): string | undefined {
    return deploy && this.#suspects.isRecorded(deploy.deployId) ? deploy.deployId : undefined
  }

  receive(message: Extract<FromDoor, { is: 'recorded' }>): void {
    if (this.#suspects.isRecorded(message.deploy)) this.#recordings.add(message)
  }

  /** `deploys` had requests under way when the door died. */
  onDeath(deploys: readonly AnsweringDeploy[]): void {
    const recordings = this.#recordings.take()
    this.#suspects.add(deploys)
    this.#searching ??= this.#search(recordings).finally(() => {
      this.#searching = undefined
    })
  }

  /** Resolves when the bytes that are recorded so far were judged. */
  async settled(): Promise<void> {
    await this.#searching
  }

  async #search(recordings: ReadonlyMap<string, readonly Recording[]>): Promise<void> {
    for (const [deployId, each] of recordings) {
      if (!(await endsTheDoor(each, this.#script))) continue
      const deploy = this.#suspects.find(deployId)
      this.#suspects.remove(deployId)
      deploy?.onHarmful()
    }
  }
}
