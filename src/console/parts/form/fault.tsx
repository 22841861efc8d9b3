import { explain } from '../../call/explain.ts'

/** Shows beside a control why its act failed. Nothing is shown without an error. */
export function Fault({ of: error }: { of: unknown }) {
  if (error === null || error === undefined) return null
  return (
    <p className="fault" role="alert">
      {explain(error)}
    </p>
  )
}
