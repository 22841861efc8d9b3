import { findNamedValues } from './named-values.ts'
import { findRandomText } from './random-text.ts'
import type { Range } from './ranges.ts'
import { findPrefixedTokens, TOKEN_SHAPES } from './token-prefixes.ts'
import { WRITTEN_SECRETS } from './written-secrets.ts'

/** Shapes of secrets. The group `secret`, which ends each of them that has one, is hidden, or all of it. Each takes linear time on any text. */
const SHAPES: readonly RegExp[] = [
  // Tokens of svc itself: API tokens, sessions, invitations, the operator's, and those of runs.
  /svc[a-z]{0,4}_[0-9A-Za-z_-]{16,128}/g,
  /svcrun\.[\w.-]{8,200}/g,
  // JSON Web Tokens.
  /(?<![\w-])eyJ[\w-]{8,4096}\.[\w-]{2,8192}(?:\.[\w-]{0,2048})?/g,
  /\b(?:bearer|basic)[ \t]{1,4}(?<secret>[\w.~+/=-]{8,4096})/gi,
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g,
  /(?<!\w)[0-9a-f]{32,128}(?!\w)/gi,
  ...TOKEN_SHAPES,
  ...WRITTEN_SECRETS,
]

const CARD = /(?<![\d.-])(?:3[47]|4\d|5[1-5]|2[2-7]|6[05])(?:[ -]?\d){13,17}(?![\d.-])/g

/** Finds secrets and personal data that stand on one line by fixed rules. The ranges may overlap. */
export function findByRules(text: string): Range[] {
  return [
    ...SHAPES.flatMap((shape) => [...text.matchAll(shape)].map(rangeOf)),
    ...findPrefixedTokens(text),
    ...findNamedValues(text),
    ...findRandomText(text),
    ...findCards(text),
  ]
}

function rangeOf({ index, 0: whole, groups }: RegExpExecArray): Range {
  const end = index + whole.length
  return [end - (groups?.secret ?? whole).length, end]
}

function findCards(text: string): Range[] {
  return [...text.matchAll(CARD)]
    .filter(([number]) => hasCheckDigit(number.replaceAll(/\D/g, '')))
    .map(({ index, 0: number }): Range => [index, index + number.length])
}

/** The check of Luhn, which nine of ten other numbers fail. */
function hasCheckDigit(digits: string): boolean {
  const values = Array.from(digits, Number).toReversed()
  const sum = values.reduce((total, digit, index) => {
    const value = digit * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
