import { z } from 'zod'
import { TimeInput } from './inputs.ts'

/** The longest time that one series spans. */
export const MAX_SERIES_DAYS = 14

/** The time of a series. Without it, it is the last day. */
export const seriesTime = { from: TimeInput.optional(), until: TimeInput.optional() }

/** Fields of each answer with buckets of a series. */
export const BucketSeconds = z.int().describe('At least 300')
export const BucketBegin = z.iso.datetime().describe('When the bucket begins')
