import type { Deploy } from '#contract/apps/deploys.ts'

type OfRevision = Pick<Deploy, 'revision_id'>

/** Whether the app can be rolled back to the deploy: it was live once, and its revision is not live now. */
export function isFormer(deploy: Pick<Deploy, 'state'> & OfRevision, live: OfRevision | null | undefined): boolean {
  return deploy.state === 'retired' && deploy.revision_id !== live?.revision_id
}
