import type { History } from '../history.ts'
import { backgroundOf } from './background.ts'
import type { CitedLine, SignalEvidence } from './evidence.ts'
import { findSignals } from './find-signals.ts'
import { sampleErrors } from './samples.ts'

/** Compares the logs, check runs and deploys of an app. Other work of this process goes on meanwhile. */
export async function historyOf(evidence: SignalEvidence): Promise<History> {
  const signals = await findSignals(evidence)
  return {
    signals: signals.map(({ lines, covers, ...signal }) => ({
      ...signal,
      lines: lines.map(toShownLine),
      covers: [...covers],
    })),
    background: backgroundOf(evidence),
    samples: sampleErrors(evidence.recent).map(({ template, lines }) => ({ template, lines: lines.map(toShownLine) })),
  }
}

function toShownLine({ at, text, revisionId }: CitedLine) {
  return { at: at.toISOString(), text, ...(revisionId && { revision_id: revisionId }) }
}
