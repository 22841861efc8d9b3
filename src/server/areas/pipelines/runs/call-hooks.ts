import type { CallKindHooks } from '../calls/kinds.ts'
import { registerPipelines } from '../registry/register.ts'
import { findAndLockPipeline } from '../registry/store.ts'
import type { RunDeps } from './deps.ts'
import { appendRunLines } from './log-store.ts'
import { outcomeOf } from './outcome.ts'
import { recordOutcome } from './record-outcome.ts'
import { startRun } from './start.ts'
import { endRun, findPipelineOf, findWaitingRun, markStarted } from './store.ts'

/** Changes runs as the calls of pipelines change, each in the transaction that changes the call. */
export function createRunHooks(deps: RunDeps): CallKindHooks {
  return {
    registered: (tx, app, definitions) => registerPipelines(tx, app, definitions, deps.clock.now()),

    started: (tx, calls) => {
      const runIds = calls.flatMap(({ reference }) => reference ?? [])
      return markStarted(tx, runIds, deps.clock.now())
    },

    finished: async (tx, { reference, startedAt }, result) => {
      const pipelineId = reference === null ? undefined : await findPipelineOf(tx, reference)
      const pipeline = pipelineId === undefined ? undefined : await findAndLockPipeline(tx, pipelineId)
      if (reference === null || !pipeline) return
      const at = deps.clock.now()
      const ended = outcomeOf(result, startedAt !== null)
      const run = await endRun(tx, reference, { ...ended, at })
      if (!run) return
      await recordOutcome(tx, deps, { pipeline, run, outcome: ended.outcome, at })
      const waiting = await findWaitingRun(tx, pipeline.id)
      if (waiting) await startRun(tx, deps.sealer, pipeline, waiting.id)
    },

    logged: async (tx, { reference }, lines) => {
      if (reference !== null) await appendRunLines(tx, reference, lines)
    },
  }
}
