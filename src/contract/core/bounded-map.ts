import { z } from 'zod'

/** A map with at most `maxKeys` entries. Every map of an input is one, so that the work for it is bounded. */
export function boundedMap<K extends z.core.$ZodRecordKey, V extends z.core.SomeType>(
  key: K,
  value: V,
  maxKeys: number,
) {
  return z
    .record(key, value)
    .refine((map) => Object.keys(map).length <= maxKeys, `must have at most ${maxKeys} entries`)
    .meta({ maxProperties: maxKeys })
}

/** Returns the largest number of entries of a map. Throws for a map without a bound. */
export function maxKeysOf(map: z.core.$ZodType): number {
  const limit = z.globalRegistry.get(map)?.maxProperties
  if (typeof limit !== 'number') throw new Error('a map of an input needs a bound: use boundedMap')
  return limit
}
