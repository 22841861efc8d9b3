import type { Deploy } from '#contract/apps/deploys.ts'
import { nameRollback } from '#contract/apps/name-rollback.ts'

const WITHOUT_MESSAGE = { deploy: 'Deploy without a message', proposal: 'Approved change' } as const

/** Names a deploy by what people recognise: the message of its revision, or else what it was. */
export function nameDeploy(deploy: Pick<Deploy, 'kind' | 'revision_id' | 'revision_message'>): string {
  if (deploy.kind === 'rollback') return nameRollback(deploy)
  return deploy.revision_message || WITHOUT_MESSAGE[deploy.kind]
}
