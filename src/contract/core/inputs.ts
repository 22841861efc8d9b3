import { z } from 'zod'

/** An id or name that the caller got from another answer. Longer than any of ours, because unknown ones are 404. */
export const IdInput = z.string().max(200)

/** Leaves room for nine digits of a second and an offset. A time itself can have any number of digits. */
const MAX_TIME_LENGTH = 40

export const UtcTimeInput = z.iso.datetime().max(MAX_TIME_LENGTH)
export const TimeInput = z.iso.datetime({ offset: true }).max(MAX_TIME_LENGTH)
