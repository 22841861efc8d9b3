import { encode, type Format } from '#edge/negotiate.ts'
import { textBytes } from './text-size.ts'

type Framed = { id: string; title: string | null; metadata: Readonly<Record<string, unknown>> }

export type Ruler = {
  /** Bytes of a hit as one of several, without the values that `isLeftOut` names. */
  frame(hit: Framed, isLeftOut: (key: string, value: unknown) => boolean): number
  /** Bytes of one value in a hit's metadata. */
  value(key: string, value: unknown): number
  /** Bytes of an unmarked answer whose hits add up to `hits`. */
  whole(count: number, hits: number): number
  /** Everything around the hits of a shortened answer. */
  around(count: number, note: string): number
}

/**
 * Measures an answer in pieces. How pieces are joined is learned from the encoder itself, on small samples: the same
 * keys come in every hit, so each is written once.
 */
export function createRuler(format: Format): Ruler {
  const bytes = (value: unknown) => Buffer.byteLength(encode(value, format).body)
  const among = (metadata: object) => bytes({ results: [{ id: '', title: null, metadata }] })
  const withOne = among({ k: null })
  const keys = new Map<string, number>()
  const keyBytes = (key: string) => {
    const known = keys.get(key)
    if (known !== undefined) return known
    const measured = among({ k: null, [key]: null }) - withOne - NULL
    keys.set(key, measured)
    return measured
  }
  ...
}
