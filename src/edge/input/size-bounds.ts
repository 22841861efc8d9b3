import type { z } from 'zod'

type SizeBounds = { minimum: number; maximum: number }

/** Returns the length that a schema of a text or list states. Without one it is 0 to infinity. */
export function sizeBounds(schema: z.core.$ZodType): SizeBounds {
  const bounds: SizeBounds = { minimum: 0, maximum: Number.POSITIVE_INFINITY }
  for (const { _zod } of schema._zod.def.checks ?? []) {
    const def = _zod.def as { check: string; minimum?: number; maximum?: number }
    if (def.check === 'min_length') bounds.minimum = def.minimum!
    if (def.check === 'max_length') bounds.maximum = def.maximum!
  }
  return bounds
}
