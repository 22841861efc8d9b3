import type { DeployState } from '#contract/apps/deploys.ts'

export type LastDeploy = {
  readonly id: string
  readonly revision_id: string
  readonly state: DeployState
  /** Null if it never answered requests. */
  readonly live_at: Date | null
}

const NAME_ONE = 'Name a revision to deploy it.'

/**
 * Explains why there is no revision to roll back to, from the live deploy and the newest one, which may be the same.
 * Without a deploy the app was never deployed.
 */
export function nothingToRollBack(deploys: readonly LastDeploy[]): string {
  const live = deploys.find(({ state }) => state === 'live')
  const other = deploys.find(({ state }) => state !== 'live')
  const [deploy] = other ? [`The deploy ${other.id} ${progressOf(other)}`] : []
  if (live) {
    const first = deploy === undefined ? '' : `${deploy}. `
    const still = other === undefined ? 'is live' : 'is still serving'
    return `${first}Revision ${live.revision_id} ${still}, and no other was live before it, so there is nothing to roll back to. ${NAME_ONE}`
  }
  if (deploy === undefined) return 'The app was never deployed, so there is nothing to roll back to. Deploy it first.'
  return `${deploy}, and no other revision of this app was live, so there is nothing to roll back to. ${NAME_ONE}`
}

function progressOf({ state, live_at }: LastDeploy): string {
  if (state !== 'failed') return `is ${state}`
  return live_at === null ? 'failed and never became live' : 'failed after it was live'
}
