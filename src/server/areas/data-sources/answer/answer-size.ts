import { encode, type Format } from '#edge/http/negotiate.ts'
import { textBytes } from './text-size.ts'

type Framed = { id: string; title: string | null; metadata: Readonly<Record<string, unknown>> }

export type Ruler = {
  /** Bytes of a hit as one of several, without its title and the values that `isLeftOut` names. */
  frame(hit: Framed, isLeftOut: (key: string, value: unknown) => boolean): number
  /** Bytes of one value in a hit's metadata. */
  value(key: string, value: unknown): number
  /** Everything around the hits of a shortened answer; a little high. */
  around(count: number, note: string): number
}

/**
 * Measures an answer in pieces. How the encoder joins pieces is learned from the encoder, on small samples; the same
 * keys come in every hit, so each is written once.
 */
export function createRuler(format: Format): Ruler {
  const { emptyHit, fullHit } = HITS[format]
  const keys = new Map<string, number>()
  const keyBytes = (key: string) => {
    const known = keys.get(key)
    if (known !== undefined) return known
    const measured = hitBytes({ [key]: null }, format) - fullHit - NULL
    keys.set(key, measured)
    return measured
  }
  const value = (key: string, given: unknown) => {
    if (typeof given === 'string') return textBytes(given, format)
    if (typeof given !== 'object' || given === null) return bytesOf([given], format) - bytesOf([null], format) + NULL
    return hitBytes({ [key]: given }, format) - fullHit - keyBytes(key)
  }
  return {
    value,
    frame({ id, title, metadata }, isLeftOut) {
      const entries = Object.entries(metadata).filter(([, given]) => given !== undefined)
      let bytes = (entries.length === 0 ? emptyHit : fullHit) + textBytes(id, format) - EMPTY_STRING
      if (title !== null) bytes -= NULL
      for (const [key, given] of entries) bytes += keyBytes(key) + (isLeftOut(key, given) ? 0 : value(key, given))
      return bytes
    },
    around: (count, note) => bytesOf({ count, results: ['x'], truncated: true, note }, format) - 3,
  }
}

const NULL = 4
const EMPTY_STRING = 2
const HITS: Record<Format, { emptyHit: number; fullHit: number }> = { json: learn('json'), yaml: learn('yaml') }

/** `fullHit`: a hit with metadata, without the bytes of any entry in it. */
function learn(format: Format) {
  const [none, one, two] = [{}, { a: null }, { a: null, b: null }].map((metadata) => hitBytes(metadata, format))
  return { emptyHit: none!, fullHit: 2 * one! - two! }
}

/** As one of several: what a hit more adds. */
function hitBytes(metadata: object, format: Format): number {
  return bytesOf({ results: [hitWith({}), hitWith(metadata)] }, format) - bytesOf({ results: [hitWith({})] }, format)
}

function hitWith(metadata: object) {
  return { id: '', title: null, metadata }
}

export function bytesOf(value: unknown, format: Format): number {
  return Buffer.byteLength(encode(value, format).body)
}
