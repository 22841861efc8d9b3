import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'
import { pollMs } from './polling.ts'
import { rereadMs } from './retry.ts'

type List<T> = z.ZodType<{ items: T[]; next_cursor: string | null }>

type Options<T> = {
  /** Reads the loaded pages again while one of their items is still under way. */
  readonly whileAny?: (item: T) => boolean
  /** Reads the first page again for as long as no other was loaded. */
  readonly isWatched?: boolean
}

/** Reads a list page by page. `data` has the items of all pages that were loaded. */
export function usePages<I extends z.ZodObject, T>(
  op: JsonOperation<I, List<T>>,
  input: z.input<I>,
  { whileAny, isWatched }: Options<T> = {},
) {
  const { api } = useSession()
  const queries = useQueryClient()
  const queryKey = [op.name, 'pages', input]
  const query = useInfiniteQuery({
    // Apart from `useCall`, which keeps one page under the name and the input.
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      api.call(op, pageParam === undefined ? input : { ...input, cursor: pageParam }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      pollMs((pages) => {
        if (whileAny && pages?.some(({ items }) => items.some(whileAny))) return 'moving'
        return isWatched && pages?.length === 1 && 'watched'
      }, state.data?.pages) || rereadMs(state.error),
  })
  const data = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data])
  return {
    data,
    error: query.error,
    refetch: () => void query.refetch(),
    /** Undefined when there is no further page. */
    loadMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
    pageCount: query.data?.pages.length ?? 0,
    /** Forgets every loaded page and begins again with the first. */
    startOver: () => void queries.resetQueries({ queryKey, exact: true }),
  }
}
