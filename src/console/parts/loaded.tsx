import type { ReactNode } from 'react'
import { ServiceError } from '#contract/core/errors.ts'
import { Forbidden } from './forbidden.tsx'
import { LoadFailed } from './load-failed.tsx'
import { Skeleton } from './skeleton.tsx'

type Read<T> = { readonly data: T | undefined; readonly error: unknown; readonly refetch: () => unknown }

/** Shows the answer of a read, or its skeleton, its failure or the refusal. What was read before stays when a later read fails. */
export function Loaded<T>({
  of,
  skeleton,
  children,
}: {
  of: Read<T>
  skeleton?: ReactNode
  children: (data: T) => ReactNode
}) {
  if (of.data !== undefined) return children(of.data)
  if (!of.error) return skeleton ?? <Skeleton rows={6} />
  if (of.error instanceof ServiceError && of.error.status === 403) return <Forbidden detail={of.error.message} />
  return <LoadFailed error={of.error} onRetry={() => void of.refetch()} />
}
