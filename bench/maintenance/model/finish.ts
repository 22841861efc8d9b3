import type { Scenario } from '../scenarios/scenario.ts'
import type { Conversation } from './conversation.ts'
import type { Reply } from './server.ts'

/** A call of one tool, as an answer of a model. */
export function call(name: string, args: object = {}): Reply {
  return { calls: [{ name, arguments: JSON.stringify(args) }] }
}

/** Several calls in one answer. */
export function calls(...replies: readonly Reply[]): Reply {
  return { calls: replies.flatMap((reply) => reply.calls ?? []) }
}

/** Ids of the evidence that this conversation was given. */
function evidenceIn({ given }: Conversation): number[] {
  return given.flatMap((text) => [...text.matchAll(/evidence_id\\*":\s?(\d{1,9})/g)].map(([, id]) => Number(id)))
}

export type Claim = Pick<Scenario, 'expected' | 'summary' | 'template' | 'check'>

export function finish(talk: Conversation, verdict: 'nothing' | 'finding' | 'change', claim: Claim): Reply {
  if (verdict === 'nothing') return call('finish', { verdict, summary: claim.summary })
  const { expected, summary, template, check } = claim
  const { kind, path } = expected
  return call('finish', { verdict, kind, path, template, check, summary, evidence: evidenceIn(talk).slice(0, 20) })
}
