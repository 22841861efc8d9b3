import { z } from 'zod'
import { ERROR_RATES, UNKNOWN_RELEVANCE_REASONS } from '#contract/data-sources/relevance.ts'

/** How the scores of an entry tell questions that its rows answer from others, as the worker measured it. */
export const Calibration = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('separated'),
    low: z.number().describe('A question whose best score is below is called `no`'),
    high: z.number().describe('A question whose best score reaches it is called `yes`'),
    error_rate: z.literal(ERROR_RATES),
    near: z.number().describe('Number of questions that were made from rows'),
    foreign: z.number().describe('Number of general questions'),
  }),
  z.object({ outcome: z.literal('unknown'), reason: z.enum(UNKNOWN_RELEVANCE_REASONS) }),
])
export type Calibration = z.output<typeof Calibration>

export function unknown(reason: (typeof UNKNOWN_RELEVANCE_REASONS)[number]): Calibration {
  return { outcome: 'unknown', reason }
}
