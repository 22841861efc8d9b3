/** A decimal number without its notation: `digits` (no zeros at either end, '' for zero) times ten to `exponent`. */
type Decimal = { negative: boolean; digits: string; exponent: number }

const DECIMAL = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i
/** Numbers that Postgres writes without digits. */
const NAMED = new Set(['NaN', 'Infinity', '-Infinity'])

/** Whether the text is a number as Postgres writes it; such text is accepted as the value of a number column. */
export function isNumberText(text: string): boolean {
  return NAMED.has(text) || DECIMAL.test(text)
}

/** Returns the JSON number with exactly this value. Undefined if JavaScript would change it or it exceeds 2^53. */
export function exactNumber(text: string): number | undefined {
  const value = Number(text)
  const written = readDecimal(text)
  if (!written || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined
  const parsed = readDecimal(String(value))!
  const isSame = parsed.digits === written.digits && parsed.exponent === written.exponent
  if (!isSame) return undefined
  return value === 0 ? 0 : value
}

/**
 * Returns the digits of a whole number, however it is written (`2e3`, `2000.0`), because integer columns take only digits.
 * Other text, and a number of more than 400 digits, is returned unchanged.
 */
export function wholeDigits(text: string): string {
  const { negative, digits, exponent } = readDecimal(text) ?? { negative: false, digits: '', exponent: -1 }
  if (exponent < 0 || digits.length + exponent > 400) return text
  return `${negative ? '-' : ''}${digits === '' ? '0' : digits}${'0'.repeat(exponent)}`
}

function readDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = match[4] ?? '', , power = '0'] = match
  const all = whole + fraction
  // Loops, because a regular expression for trailing zeros takes quadratic time on long runs of them.
  let [from, to] = [0, all.length]
  while (from < to && all[from] === '0') from++
  while (to > from && all[to - 1] === '0') to--
  const digits = all.slice(from, to)
  if (digits === '') return { negative: false, digits, exponent: 0 }
  return { negative: sign === '-', digits, exponent: Number(power) - fraction.length + (all.length - to) }
}
