import { encode, type Format } from '#edge/format/negotiate.ts'
import { textBytes } from './text-size.ts'

type EncodedHit = { id: string; title: string | null; metadata: Readonly<Record<string, unknown>> }

/** Sizes in bytes of the parts of an encoded answer. */
export type HitSizes = {
  /** A hit as one of several, without its title and without the values that `isLeftOut` names. */
  withoutValues(hit: EncodedHit, isLeftOut: (key: string, value: unknown) => boolean): number
  /** One value in the metadata of a hit. */
  ofValue(key: string, value: unknown): number
}

/**
 * Measures hits in parts. How the encoder joins parts is measured on small samples; every hit has the same keys, so each
 * key is measured once.
 */
export function createHitSizes(format: Format): HitSizes {
  const { emptyHit, filledHit } = SAMPLES[format]
  const keys = new Map<string, number>()
  const keyBytes = (key: string) => {
    const bytes = keys.get(key) ?? addedBytes({ [key]: null }, format) - filledHit - NULL_BYTES
    keys.set(key, bytes)
    return bytes
  }
  const ofValue = (key: string, value: unknown) => {
    if (typeof value === 'string') return textBytes(value, format)
    if (typeof value !== 'object' || value === null)
      return encodedBytes([value], format) - encodedBytes([null], format) + NULL_BYTES
    return addedBytes({ [key]: value }, format) - filledHit - keyBytes(key)
  }
  return {
    ofValue,
    withoutValues({ id, title, metadata }, isLeftOut) {
      const entries = Object.entries(metadata).filter(([, value]) => value !== undefined)
      let bytes = (entries.length === 0 ? emptyHit : filledHit) + textBytes(id, format) - EMPTY_STRING_BYTES
      if (title !== null) bytes -= NULL_BYTES
      for (const [key, value] of entries) bytes += keyBytes(key) + (isLeftOut(key, value) ? 0 : ofValue(key, value))
      return bytes
    },
  }
}

/** Everything around the hits of a shortened answer; a little high. */
export function shortenedFrameBytes(count: number, verdict: object | undefined, note: string, format: Format): number {
  const sample = { count, ...verdict, results: ['x'], truncated: true, note }
  return encodedBytes(sample, format) - 3
}

function encodedBytes(value: unknown, format: Format): number {
  return Buffer.byteLength(encode(value, format).body)
}

const NULL_BYTES = 4
const EMPTY_STRING_BYTES = 2
const SAMPLES: Record<Format, { emptyHit: number; filledHit: number }> = {
  json: measureSamples('json'),
  yaml: measureSamples('yaml'),
}

/** `filledHit` is a hit with metadata, without the bytes of any entry in it. */
function measureSamples(format: Format) {
  const [none, one, two] = [{}, { a: null }, { a: null, b: null }].map((metadata) => addedBytes(metadata, format))
  return { emptyHit: none!, filledHit: 2 * one! - two! }
}

/** Bytes that a hit with this metadata adds to an answer that has one already. */
function addedBytes(metadata: object, format: Format): number {
  const [before, after] = [[sampleHit({})], [sampleHit({}), sampleHit(metadata)]]
  return encodedBytes({ results: after }, format) - encodedBytes({ results: before }, format)
}

function sampleHit(metadata: object) {
  return { id: '', title: null, metadata }
}
