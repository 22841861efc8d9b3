import type { CheckDefinition } from '#contract/checks/definition.ts'
import { type AgentDeps, runAgent } from './agent.ts'
import { type HttpDeps, runHttp } from './http.ts'
import { type LogDeps, runLog } from './log.ts'
import type { CheckedApp, Outcome, Restarting } from './outcome.ts'

export type RunDefinitionDeps = HttpDeps & LogDeps & AgentDeps

type DefinitionRun = {
  readonly app: CheckedApp
  readonly check: { readonly id: string; readonly definition: CheckDefinition }
  readonly now: Date
  readonly signal: AbortSignal
}

export type Result = { readonly outcome: Outcome; readonly tokens: number | null }

/** Runs what a check is defined as. Rejects if the signal is aborted; any other rejection is a fault of svc. */
export async function runDefinition(
  deps: RunDefinitionDeps,
  { app, check, now, signal }: DefinitionRun,
): Promise<Result | Restarting> {
  const { definition } = check
  switch (definition.kind) {
    case 'http': {
      const outcome = await runHttp(deps, app, definition, signal)
      return outcome === 'restarting' ? outcome : { outcome, tokens: null }
    }
    case 'log':
      return { outcome: await runLog(deps, app, definition, now), tokens: null }
    case 'agent':
      return runAgent(deps, { app, checkId: check.id, definition, now, signal })
    default:
      return definition satisfies never
  }
}
