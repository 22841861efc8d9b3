import { ServiceError } from '#contract/core/errors.ts'
import { unknownKeys } from '../format/problem.ts'

type BadText = { readonly kind: 'text' | 'key'; readonly path: string[] }

/**
 * Refuses NUL, which Postgres cannot store as text, and half surrogate pairs, which are no characters. The depth of the
 * input was limited when it was parsed.
 */
export function refuseBadText(input: unknown): void {
  const found = findBadText(input)
  if (!found) return
  const path = found.path.toReversed().join('.')
  if (found.kind === 'key') throw unknownKeys([path])
  const message = 'must not contain NUL characters or unpaired surrogates'
  throw new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}

/** The path, last key first, is made only for a fault: most input has none, and there can be many values. */
function findBadText(value: unknown): BadText | undefined {
  if (typeof value === 'string') return isGoodText(value) ? undefined : { kind: 'text', path: [] }
  if (typeof value !== 'object' || value === null) return undefined
  return Array.isArray(value) ? findInItems(value) : findInEntries(value as Record<string, unknown>)
}

function findInItems(items: readonly unknown[]): BadText | undefined {
  for (let n = 0; n < items.length; n++) {
    const found = findBadText(items[n])
    if (found) return within(found, String(n))
  }
  return undefined
}

function findInEntries(entries: Record<string, unknown>): BadText | undefined {
  for (const key in entries) {
    if (!isGoodText(key)) return { kind: 'text', path: ['key'] }
    // Schemas of maps drop this key silently, and no part of the input may be ignored.
    if (key === '__proto__') return { kind: 'key', path: [key] }
    const found = findBadText(entries[key])
    if (found) return within(found, key)
  }
  return undefined
}

function within(found: BadText, key: string): BadText {
  found.path.push(key)
  return found
}

function isGoodText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
