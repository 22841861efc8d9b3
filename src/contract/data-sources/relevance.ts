import { z } from 'zod'

/** Whether a hit has to do with the question, by what the scores of its table were measured to mean. */
export type Relevance = 'likely' | 'possible' | 'unlikely' | 'unknown'

/** Whether the source answers the question. */
export const Answerable = z.enum(['yes', 'unsure', 'no', 'unknown'])
export type Answerable = z.infer<typeof Answerable>

export const MIN_RELEVANCES = ['possible', 'likely'] as const
export type MinRelevance = (typeof MIN_RELEVANCES)[number]

/** Shares of answerable questions that may be called `no`. */
export const ERROR_RATES = [0.01, 0.02, 0.05, 0.1] as const
export type ErrorRate = (typeof ERROR_RATES)[number]
export const DEFAULT_ERROR_RATE = 0.05

/** Why nothing is said about the relevance of hits. */
export const UNKNOWN_RELEVANCE_REASONS = [
  'not_measured',
  'too_few',
  'not_separable',
  'too_large',
  'rows_by_person',
  'row_text_stays_here',
] as const
