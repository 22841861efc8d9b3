import { z } from 'zod'
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './limits.ts'

/** Input keys of every list. */
export const pageInput = {
  limit: z.int().min(1).max(PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT).describe('Items per page, at most 100'),
  cursor: z.string().max(512).optional().describe('`next_cursor` of the page before'),
}

/** The one envelope of lists: newest first, `next_cursor` null on the last page. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() })
}
