import { useSession } from '../session/session.ts'

/** Says that the role does not reach, and who can change that. */
export function Forbidden({ detail }: { detail: string }) {
  const { me } = useSession()
  return (
    <div className="state">
      <h2>You cannot open this page</h2>
      <p>{detail}</p>
      <p className="soft">Owners of {me.org.name} change roles under Organization settings → Members.</p>
    </div>
  )
}
