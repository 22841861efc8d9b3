import { Copy } from '#console/parts/text/copy.tsx'
import type { KnownAgent } from './known-agents.ts'

/** The steps of connecting an agent, with the text to paste, in order. */
export function AgentSteps({ steps }: Pick<KnownAgent, 'steps'>) {
  return steps.map((step) =>
    'code' in step ? <Copy key={step.code} isBlock text={step.code} /> : <p key={step.text}>{step.text}</p>,
  )
}
