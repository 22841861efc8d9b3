import type { Hit } from './hit.ts'

/** A value of a hit that may be cut, with the text that is cut. */
export type CuttableValue = { readonly key: string; readonly value: unknown; readonly text: string }

/** The values of a hit that may be cut: its title, and texts and JSON in its metadata. */
export function cuttableValues({ title, metadata }: Hit): CuttableValue[] {
  const values: CuttableValue[] = title === null ? [] : [{ key: 'title', value: title, text: title }]
  for (const [key, value] of Object.entries(metadata)) {
    if (isCuttable(key, value)) values.push({ key, value, text: textOf(value) })
  }
  return values
}

export function isCuttable(key: string, value: unknown): boolean {
  return !isFixedKey(key) && (typeof value === 'string' || (typeof value === 'object' && value !== null))
}

/** Keys of the metadata that are ours and always whole. */
export function isFixedKey(key: string): boolean {
  return key === '_score' || key === '_target' || key === '_relevance'
}

/** A JSON column is cut as its JSON text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
