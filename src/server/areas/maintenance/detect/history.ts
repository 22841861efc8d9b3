import type { z } from 'zod'
import type { readSignals } from '#contract/maintenance/tools.ts'

/** Signals of an app's logs, check runs and deploys. */
export type History = Omit<z.output<typeof readSignals.output>, 'evidence_id'>

export type CitedText = History['signals'][number]['lines'][number]

export const NO_HISTORY: History = { signals: [], background: [], samples: [] }
