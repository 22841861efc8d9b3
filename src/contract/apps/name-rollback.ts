import type { Deploy } from './deploys.ts'

/** Names the revision of a deploy by its message, or by its id if it has none. */
export function nameRevision({ revision_id, revision_message }: Pick<Deploy, 'revision_id' | 'revision_message'>) {
  return revision_message || revision_id
}

/** Names a rollback as what was done, so that it reads neither as a button nor as an ordinary deploy. */
export function nameRollback(deploy: Pick<Deploy, 'revision_id' | 'revision_message'>): string {
  return `Rolled back to ${nameRevision(deploy)}`
}
