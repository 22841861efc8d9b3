import { presentOutcome } from '#contract/maintenance/outcomes.ts'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'
import { DETECTORS_MODEL, DETECTORS_PROPOSE_NOTHING } from '#contract/maintenance/settings.ts'

/** The result of a run in the words of the console, or its status while it has none. */
export function resultText({ status, outcome }: MaintenanceRun): string {
  return outcome === null ? status : presentOutcome(outcome).chip
}

/** The exit code that scripts act on. A result that this client does not know is never a success. */
export function exitOf({ outcome }: MaintenanceRun): number {
  return presentOutcome(outcome ?? '').exit
}

/** Returns the cost of a run's tokens as text, or `-` if no price of its model is configured. */
export function costText({ cost }: Pick<MaintenanceRun, 'cost'>): string {
  return cost === null ? '-' : `${cost.amount} ${cost.currency}`
}

export function spentText(run: Pick<MaintenanceRun, 'tokens_spent' | 'cost'>): string {
  return `${run.tokens_spent} tokens${run.cost === null ? '' : `, ${costText(run)}`}`
}

/** Returns what to do for proposals, if the model is one that makes none. */
export function modelNotes(model: string | null): string[] {
  if (model !== DETECTORS_MODEL) return []
  return [`${DETECTORS_PROPOSE_NOTHING} For proposals name a chat model: see /guides/maintenance at your instance.`]
}
