import { z } from 'zod'
import { inputError, MAX_LISTED_FAULTS, partialInputError } from '../format/problem.ts'
import { createFaultFinder, type FoundFault } from './first-fault.ts'

/** Every fault of an input with at most this weight is listed. Of a larger input only the first is. */
const MAX_FULLY_CHECKED_WEIGHT = 50
/** A text weighs one, and one more for each such piece. */
const TEXT_PIECE_LENGTH = 100
/** An input that was sent with more characters counts as large without being weighed. */
const MAX_WEIGHED_LENGTH = MAX_FULLY_CHECKED_WEIGHT * TEXT_PIECE_LENGTH

/** Checks an input that was sent with so many characters. */
type InputCheck = (raw: Record<string, unknown>, sentLength: number) => unknown

/**
 * Creates the check of an input. Throws INVALID_REQUEST. Building a fault costs many times more than reading the value
 * that has it, so a large input is searched for its first fault before zod lists all of them.
 */
export function createInputCheck(schema: z.ZodObject): InputCheck {
  let finder: ReturnType<typeof createFaultFinder> | undefined
  // Made when the first large input comes, because most operations never get one.
  const findFault = (raw: unknown) => {
    finder ??= createFaultFinder(schema)
    return finder(raw)
  }
  return (raw, sentLength) => {
    const found = isLarge(raw, sentLength) ? findFault(raw) : undefined
    if (found) throw partialInputError(toIssue(found))
    const result = schema._zod.run({ value: raw, issues: [] }, { async: false })
    if (result instanceof Promise) throw new Error('an input schema must not be asynchronous')
    const { issues } = result
    // Not `safeParse`, because it writes a text for every fault and then all of them as one.
    if (issues.length > 0) throw inputError({ issues: issues.slice(0, MAX_LISTED_FAULTS).map(finalize) }, issues.length)
    return result.value
  }
}

function toIssue({ issue, path }: FoundFault): z.core.$ZodIssue {
  return finalize({ ...issue, path: path.toReversed() })
}

function finalize(issue: z.core.$ZodRawIssue): z.core.$ZodIssue {
  return z.core.util.finalizeIssue(issue, { async: false }, z.core.config())
}

function isLarge(raw: unknown, sentLength: number): boolean {
  return sentLength > MAX_WEIGHED_LENGTH || weigh(raw, MAX_FULLY_CHECKED_WEIGHT) > MAX_FULLY_CHECKED_WEIGHT
}

/** Counts the values inside a value, and stops soon after the limit. */
function weigh(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + value.length / TEXT_PIECE_LENGTH
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  // Not `Object.values`, which takes as long as parsing an object of many keys.
  for (const key in value) {
    count += weigh((value as Record<string, unknown>)[key], limit - count)
    if (count > limit) break
  }
  return count
}
