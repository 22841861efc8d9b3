/** A deploy whose answers the door reads. */
export type AnsweringDeploy = {
  readonly deployId: string
  /** Called when its answers were shown to end the process that reads them. */
  readonly onHarmful: () => void
}

type Suspect = { deploy: AnsweringDeploy; deaths: number; until: number }

/** How long a deploy is suspected after the last death of a door that had a request to it under way. */
const SUSPECTED_MS = 10 * 60_000
/** Deploys that are recorded at a time. */
const MAX_RECORDED_DEPLOYS = 4
const MAX_SUSPECTS = 1_000

/**
 * The deploys that had requests under way when a door died. Those that were there at the most deaths are recorded. Visitors
 * can make any app a suspect, so that nothing happens to one but being recorded.
 */
export class Suspects {
  readonly #suspects = new Map<string, Suspect>()
  #recorded: ReadonlySet<string> = new Set()

  /** Adds what was under way at a death, and chooses again what is recorded. */
  add(deploys: readonly AnsweringDeploy[]): void {
    const now = performance.now()
    for (const [id, { until }] of this.#suspects) if (until <= now) this.#suspects.delete(id)
    for (const deploy of new Map(deploys.map((each) => [each.deployId, each])).values()) {
      const deaths = (this.#suspects.get(deploy.deployId)?.deaths ?? 0) + 1
      if (deaths === 1 && this.#suspects.size >= MAX_SUSPECTS) continue
      this.#suspects.set(deploy.deployId, { deploy, deaths, until: now + SUSPECTED_MS })
    }
    // By chance among equals: otherwise the cause could hide behind apps that its owner keeps busy.
    const ranked = [...this.#suspects].map(([id, { deaths }]) => ({ id, rank: deaths + Math.random() }))
    ranked.sort((one, other) => other.rank - one.rank)
    this.#recorded = new Set(ranked.slice(0, MAX_RECORDED_DEPLOYS).map(({ id }) => id))
  }

  isRecorded(deployId: string): boolean {
    return this.#recorded.has(deployId) && this.#suspects.get(deployId)!.until > performance.now()
  }

  find(deployId: string): AnsweringDeploy | undefined {
    return this.#suspects.get(deployId)?.deploy
  }

  remove(deployId: string): void {
    this.#suspects.delete(deployId)
    this.#recorded = new Set([...this.#recorded].filter((id) => id !== deployId))
  }
}
