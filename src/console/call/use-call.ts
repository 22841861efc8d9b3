import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'

type Options<T> = {
  /** False while something that the input needs is not known yet. */
  readonly enabled?: boolean
  /** Asks again after this time, for pages on which something is running. False: not again. */
  readonly everyMs?: number | false | ((answer: T | undefined) => number | false)
  /** Shows the former answer until the next one is there, for filters. */
  readonly keep?: boolean
}

/** Reads an operation. Its answer is kept under its name and input until an act names the operation as changed. */
export function useCall<I extends z.ZodObject, O extends z.ZodType>(
  op: JsonOperation<I, O>,
  input: z.input<I>,
  { enabled = true, everyMs = false, keep = false }: Options<z.output<O>> = {},
): UseQueryResult<z.output<O>> {
  const { api } = useSession()
  return useQuery({
    queryKey: [op.name, input],
    queryFn: ({ signal }) => api.call(op, input, { signal }),
    enabled,
    refetchInterval: typeof everyMs === 'function' ? ({ state }) => everyMs(state.data) : everyMs,
    ...(keep && { placeholderData: keepPreviousData }),
  })
}
