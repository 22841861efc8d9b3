import { letOthersRun } from '#lib/async/let-others-run.ts'
import { dependencyTimeouts } from './dependency-timeout.ts'
import { errorsAfterDeploy } from './errors-after-deploy.ts'
import type { Signal, SignalEvidence } from './evidence.ts'
import { expiring } from './expiring.ts'
import { flappingChecks } from './flapping-check.ts'
import { memoryGrowth } from './memory-growth.ts'
import { slowEndpoints } from './slow-endpoint.ts'

type Detector = (evidence: SignalEvidence) => readonly Signal[]

/** Each is a pure function, linear in the evidence. */
const DETECTORS: readonly Detector[] = [
  expiring,
  flappingChecks,
  dependencyTimeouts,
  memoryGrowth,
  slowEndpoints,
  errorsAfterDeploy,
]

/**
 * Finds faults that only a comparison of logs, check runs and deploys shows. Other work of this process goes on between
 * the detectors.
 */
export async function findSignals(evidence: SignalEvidence): Promise<Signal[]> {
  const found: Signal[] = []
  for (const detector of DETECTORS) {
    found.push(...detector(evidence))
    await letOthersRun()
  }
  return found
}
