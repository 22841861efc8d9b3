import type { ErrorComponentProps } from '@tanstack/react-router'
import { Page } from '../parts/page/page.tsx'
import { useConnection } from '../session/connection.ts'

/** Shown when a page itself fails, or when its script cannot be loaded because the service was upgraded meanwhile. */
export function PageBroke({ error }: ErrorComponentProps) {
  const { mayOpen } = useConnection()
  return (
    <Page title="This page broke">
      <p>It is a fault of the console, not of your data. Reload the page; svc may have been upgraded meanwhile.</p>
      <pre>{error instanceof Error ? error.message : String(error)}</pre>
      <button
        type="button"
        className="button main"
        onClick={() => void mayOpen().then((isReached) => isReached && location.reload())}
      >
        Reload page
      </button>
    </Page>
  )
}
