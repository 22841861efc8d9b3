import { keepPreviousData, useQueries } from '@tanstack/react-query'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'

/** Reads an operation once for each input, for operations that take a bounded number of names or ids at a time. */
export function useCalls<I extends z.ZodObject, O extends z.ZodType>(
  op: JsonOperation<I, O>,
  inputs: readonly z.input<I>[],
): { readonly answers: readonly z.output<O>[]; readonly isLoading: boolean } {
  const { api } = useSession()
  return useQueries({
    queries: inputs.map((input) => ({
      queryKey: [op.name, input],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.call(op, input, { signal }),
      placeholderData: keepPreviousData,
    })),
    combine: (results) => ({
      answers: results.flatMap(({ data }) => (data === undefined ? [] : [data])),
      isLoading: results.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData),
    }),
  })
}
