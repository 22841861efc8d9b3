import type { ReactNode } from 'react'
import { ServiceError } from '#contract/core/errors.ts'
import { useSession } from '../../session/session.ts'
import { LoadFailed } from './load-failed.tsx'
import { Skeleton } from './skeleton.tsx'

type Read<T> = { readonly data: T | undefined; readonly error: unknown; readonly refetch: () => unknown }
type Props<T> = {
  of: Read<T>
  /** Rows of the skeleton. */
  rows?: number
  children: (data: T) => ReactNode
}

/** Shows the answer of a read, or its skeleton, its failure or the refusal. What was read before stays when a later read fails. */
export function Loaded<T>({ of, rows = 6, children }: Props<T>) {
  if (of.data !== undefined) return children(of.data)
  if (!of.error) return <Skeleton rows={rows} />
  if (of.error instanceof ServiceError && of.error.status === 403) return <Forbidden detail={of.error.message} />
  return <LoadFailed error={of.error} onRetry={() => void of.refetch()} />
}

/** Explains that the role is not sufficient, and who can change it. */
function Forbidden({ detail }: { detail: string }) {
  const { me } = useSession()
  return (
    <div className="state">
      <h2>You cannot open this page</h2>
      <p>{detail}</p>
      <p className="soft">Owners of {me.org.name} change roles under Organization settings → Members.</p>
    </div>
  )
}
