import { Copy } from '#console/parts/copy.tsx'
import type { KnownAgent } from './known-agents.ts'

/** What to do and what to paste, in order. */
export function AgentSteps({ steps }: Pick<KnownAgent, 'steps'>) {
  return steps.map((step) =>
    'code' in step ? <Copy key={step.code} isBlock text={step.code} /> : <p key={step.text}>{step.text}</p>,
  )
}
