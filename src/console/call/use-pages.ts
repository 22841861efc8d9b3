import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'

type List<T> = z.ZodType<{ items: T[]; next_cursor: string | null }>

/** Reads a list page by page. `data` has the items of all pages that were loaded. */
export function usePages<I extends z.ZodObject, T>(op: JsonOperation<I, List<T>>, input: z.input<I>) {
  const { api } = useSession()
  const query = useInfiniteQuery({
    queryKey: [op.name, input],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      api.call(op, pageParam === undefined ? input : { ...input, cursor: pageParam }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  const data = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data])
  return {
    data,
    error: query.error,
    refetch: () => void query.refetch(),
    /** Undefined when there is no further page. */
    loadMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  }
}
