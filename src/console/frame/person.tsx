import { useState } from 'react'
import { explain } from '../call/explain.ts'
import { useSession } from '../session/session.ts'
import { signOut } from '../session/switch.ts'
import { ThemeSwitch } from './theme-switch.tsx'

/** The signed-in person with their role, the theme and the way out. */
export function Person() {
  const { me } = useSession()
  const [fault, setFault] = useState<string>()
  return (
    <div className="person">
      <p title={me.user.email}>
        <strong>{me.user.name ?? me.user.email}</strong>
        <span className="soft">
          {me.role}
          {me.read_only && ' · read only'}
        </span>
      </p>
      <div className="row">
        <ThemeSwitch />
        <button
          type="button"
          className="button quiet small"
          onClick={() => void signOut().catch((error: unknown) => setFault(explain(error)))}
        >
          Sign out
        </button>
      </div>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
