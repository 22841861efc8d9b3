import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import type { JsonOperation } from '#contract/core/operation.ts'
import { useSession } from '../session/session.ts'
import { type Poll, pollMs } from './polling.ts'
import { rereadMs } from './retry.ts'

type Options<T> = {
  /** False while something that the input needs is not known yet. */
  readonly enabled?: boolean
  /** Whether and how often it is read again. */
  readonly poll?: Poll | ((answer: T | undefined) => Poll)
  /** Shows the former answer until the next one is there, for filters. */
  readonly keep?: boolean
  /** Reads anew when this changes, for answers that change with something that the page reads anyway. */
  readonly asOf?: string | null | undefined
}

/** Reads an operation. Its answer is kept under its name and input until an act names the operation as changed. */
export function useCall<I extends z.ZodObject, O extends z.ZodType>(
  op: JsonOperation<I, O>,
  input: z.input<I>,
  { enabled = true, poll, keep = false, asOf }: Options<z.output<O>> = {},
): UseQueryResult<z.output<O>> {
  const { api } = useSession()
  return useQuery({
    queryKey: asOf === undefined ? [op.name, input] : [op.name, input, asOf],
    queryFn: ({ signal }) => api.call(op, input, { signal }),
    enabled,
    refetchInterval: ({ state }) => pollMs(poll, state.data) || rereadMs(state.error),
    ...(keep && { placeholderData: keepPreviousData }),
  })
}
