import type { z } from 'zod'

export function createOutputParser(schema: z.ZodType): (value: unknown) => unknown {
  return (value) => schema.parse(value)
}
