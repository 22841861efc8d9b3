import { z } from 'zod'
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from './limits.ts'

/** Input keys of every list operation. */
export const pageInput = {
  limit: z.int().min(1).max(MAX_PAGE_LIMIT).default(DEFAULT_PAGE_LIMIT).describe('Items per page, at most 100'),
  cursor: z.string().max(512).optional().describe('`next_cursor` of the previous page'),
}

/** Output of every list operation: newest first, with `next_cursor` null on the last page. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() })
}
