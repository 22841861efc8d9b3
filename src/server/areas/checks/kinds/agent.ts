import type { DefinitionOf } from '#contract/checks/definition.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type AgentPool, chatFromPool } from '#ports/agent-pool.ts'
import type { RedactorOf } from '#ports/apps.ts'
import { type FindChatModel, servedTokens } from '#ports/chat-model.ts'
import { collectEvidence, type EvidenceDeps } from './agent-evidence.ts'
import { judgeAnswer } from './agent-judge.ts'
import { promptOf } from './agent-prompt.ts'
import type { CheckedApp, Outcome, Restarting } from './outcome.ts'

export type AgentDeps = EvidenceDeps & {
  readonly redactorOf: RedactorOf
  readonly pool: AgentPool
  readonly findModel: FindChatModel
}

type Run = {
  readonly app: CheckedApp
  readonly checkId: string
  readonly definition: DefinitionOf<'agent'>
  readonly now: Date
  readonly signal: AbortSignal
}
type Result = { readonly outcome: Outcome; readonly tokens: number | null }

/** A model that has not answered by then is not waited for any more. */
const MODEL_LIMIT_MS = 5 * 60_000

/**
 * Lets a model judge the log and an answer of the app. The tokens come from the organization's pool; without enough of
 * them the run is indeterminate. A model that cannot be asked or answers nonsense is an error, never a fail.
 */
export async function runAgent(
  deps: AgentDeps,
  { app, checkId, definition, now, signal }: Run,
): Promise<Result | Restarting> {
  const model = deps.findModel(definition.model)
  if (!model) return free(unknownModel(definition.model))
  const redactor = await deps.redactorOf(app.id)
  const evidence = await collectEvidence({ ...deps, redactor }, app, definition, now, signal)
  if (evidence === 'no_address') return free(NO_ADDRESS)
  if (evidence === 'restarting') return evidence
  const request = promptOf(redactor.ownValues(definition.instructions), evidence)
  const spender = { orgId: app.orgId, spender: 'check', reference: checkId } as const
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MODEL_LIMIT_MS)])
  try {
    const answer = await chatFromPool({ pool: deps.pool, model }, spender, request, limit)
    if (answer === 'exhausted') return free(EXHAUSTED)
    return {
      outcome: judgeAnswer(answer, evidence.isComplete),
      tokens: servedTokens(answer, model.mostTokens(request)),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) return free(modelFailed('The model did not answer within 5 minutes.'))
    // Messages of these errors never contain text of the conversation.
    if (error instanceof ServiceError) return free(modelFailed(error.message))
    throw error
  }
}

function free(outcome: Outcome): Result {
  return { outcome, tokens: null }
}

const NO_ADDRESS: Outcome = {
  verdict: 'error',
  code: 'no_address',
  detail: 'The app has no start command, so svc knows no address of it. Remove the path from the check.',
}
const EXHAUSTED: Outcome = {
  verdict: 'indeterminate',
  code: 'budget_exhausted',
  detail: "The organization's tokens for agents are used up for today.",
}

function unknownModel(name: string): Outcome {
  return { verdict: 'error', code: 'model_unknown', detail: `This installation has no chat model ${name}.` }
}

function modelFailed(detail: string): Outcome {
  return { verdict: 'error', code: 'model_failed', detail }
}
