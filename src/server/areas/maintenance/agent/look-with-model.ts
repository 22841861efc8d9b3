import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import type { AgentPool, CountPoolTokens } from '#ports/agent-pool.ts'
import type { RedactorOf } from '#ports/apps.ts'
import type { FindChatModel } from '#ports/chat-model.ts'
import type { ClaimedRun } from '../claims/claim.ts'
import { countLiveRuns } from '../claims/store.ts'
import type { Look } from '../detect/look.ts'
import { converse, type Ending } from './converse.ts'
import type { ToolAnswer } from './facts.ts'
import { AGENT_LIMITS, type AgentLimits, ceilingOf } from './limits.ts'
import { createSpender } from './spend.ts'
import { cleanSummary } from './summary.ts'

export type ModelDeps = {
  readonly db: Db
  readonly pool: AgentPool & { readonly remaining: CountPoolTokens }
  readonly findModel: FindChatModel
  readonly redactorOf: RedactorOf
  readonly limits?: AgentLimits
  /** Whether a test that the change brings is run. */
  readonly runsTests?: boolean
}

export type LookRequest = {
  readonly run: ClaimedRun
  readonly look: Look
  readonly tools: Client
  readonly signal: AbortSignal
}

/** Lets the model of the run look further than the detectors did. Rejects with the reason of `signal` if it is aborted. */
export async function lookWithModel(deps: ModelDeps, { run, look, tools, signal }: LookRequest): Promise<Ending> {
  const { db, pool, limits = AGENT_LIMITS, runsTests = false } = deps
  const model = deps.findModel(run.model)
  if (!model) return { failed: 'model_error', reason: unknownModel(run.model) }
  const limit = AbortSignal.timeout(limits.milliseconds)
  const ceiling = ceilingOf(await pool.remaining(run.org_id), await countLiveRuns(db, run.org_id))
  try {
    const ending = await converse({
      model,
      spender: createSpender({ db, pool, model }, run),
      tools,
      signal: AbortSignal.any([signal, limit]),
      limits,
      runsTests,
      ceiling,
      read: toRead(look),
      knowledge: { files: look.source.files.map(({ path }) => path), detected: look.detected },
    })
    if (!('finding' in ending)) return ending
    const summary = await cleanSummary(await deps.redactorOf(run.app_id), ending.finding.summary)
    return { ...ending, finding: { ...ending.finding, summary } }
  } catch (error) {
    // Such as a model that cannot call tools. What tools refuse does not come here.
    if (error instanceof ServiceError && error.code === 'INVALID_REQUEST') {
      return { failed: 'model_error', reason: error.message }
    }
    if (signal.aborted || !limit.aborted) throw error
    return { failed: 'timeout', reason: `The run was not done after ${limits.milliseconds / 60_000} minutes.` }
  }
}

function toRead({ logs, source, checks }: Look): ToolAnswer[] {
  return [
    { tool: 'log_templates', answer: logs },
    { tool: 'list_files', answer: source },
    { tool: 'check_states', answer: checks },
  ]
}

function unknownModel(name: string): string {
  return `The worker has no chat model ${name}. The operator configures models in SVC_AI_PROVIDERS.`
}
