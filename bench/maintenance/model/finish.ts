import type { Scenario } from '../scenarios/scenario.ts'
import type { Conversation } from './conversation.ts'
import type { Reply } from './server.ts'

/** A call of one tool, as an answer of a model. */
export function call(name: string, args: object = {}): Reply {
  return { calls: [{ name, arguments: JSON.stringify(args) }] }
}

/** Ids of the evidence that tools gave in this conversation. */
function evidenceIn({ results }: Conversation): number[] {
  return results.flatMap((result) => [...result.matchAll(/"evidence_id\\?":\s?(\d{1,9})/g)].map(([, id]) => Number(id)))
}

type Verdict = 'nothing' | 'finding' | 'change'

export function finish(
  talk: Conversation,
  verdict: Verdict,
  { expected, summary, symptom }: Pick<Scenario, 'expected' | 'summary' | 'symptom'>,
): Reply {
  const evidence = evidenceIn(talk)
  if (verdict === 'nothing') return call('finish', { verdict, summary: 'Nothing to report.', evidence })
  return call('finish', {
    verdict,
    kind: expected.kind,
    path: expected.path,
    symbol: null,
    template: symptom,
    summary,
    evidence,
  })
}
