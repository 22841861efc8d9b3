import { ServiceError } from '#contract/core/errors.ts'
import { explain } from '../../call/explain.ts'

/** Shows the failure, with the id that an administrator finds in the logs, and offers to try again. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const requestId = error instanceof ServiceError ? error.requestId : undefined
  return (
    <div className="state" role="alert">
      <h2>This could not be loaded</h2>
      <p>{explain(error)}</p>
      {requestId !== undefined && (
        <p className="soft">
          Request <code>{requestId}</code>
        </p>
      )}
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
