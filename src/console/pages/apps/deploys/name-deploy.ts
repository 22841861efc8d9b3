import type { Deploy } from '#contract/apps/deploys.ts'

const KINDS: Record<Deploy['kind'], string> = {
  deploy: 'Deploy without a message',
  rollback: 'Roll back',
  proposal: 'Approved change',
}

/** Names a deploy by what people recognise: the message of its revision, or else what it was. */
export function nameDeploy({ kind, revision_message }: Pick<Deploy, 'kind' | 'revision_message'>): string {
  if (revision_message === null || revision_message === '') return KINDS[kind]
  return kind === 'rollback' ? `Roll back to: ${revision_message}` : revision_message
}
