import type { z } from 'zod'

export const REQUIRED = 'required'

/** Messages that zod writes itself. A schema with its own message is not matched. */
const DEFAULT_MESSAGE = /^(?:Too big|Too small|Invalid|Unrecognized)\b/
const NOT_VALID = 'not a valid value'

const TYPE_TEXTS: Record<string, string> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
}

const FORMAT_TEXTS: Record<string, string> = {
  email: 'must be an email address',
  datetime: 'must be an RFC 3339 date and time in UTC',
  url: 'must be a web address',
}

/** Returns what is wrong with one input field, as a phrase that follows the path of the field. */
export function faultText(issue: z.core.$ZodIssue): string {
  return DEFAULT_MESSAGE.test(issue.message) ? (phraseFor(issue) ?? NOT_VALID) : issue.message
}

function phraseFor(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'too_big':
      return boundText(issue.origin, 'at most', issue.maximum)
    case 'too_small':
      return boundText(issue.origin, 'at least', issue.minimum)
    case 'invalid_type':
      return issue.message.endsWith('received undefined') ? REQUIRED : TYPE_TEXTS[issue.expected]
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return FORMAT_TEXTS[issue.format]
    case 'invalid_union':
      return NOT_VALID
    default:
      return undefined
  }
}

function boundText(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `must have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `must have ${bound} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  return `must be ${bound} ${limit}`
}
