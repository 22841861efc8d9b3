import { useState } from 'react'
import { useOnce } from '../call/use-once.ts'
import { Choice } from '../parts/form/choice.tsx'
import { Fault } from '../parts/form/fault.tsx'
import { useSession } from '../session/session.ts'
import { signOut } from '../session/switch.ts'
import { applyTheme, readTheme, THEMES } from './theme.ts'

/** The signed-in person with their role, the theme and the way out. */
export function Person() {
  const { me } = useSession()
  const once = useOnce()
  const [error, setError] = useState<unknown>()
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
        <button type="button" className="button quiet small" onClick={() => once(() => signOut().catch(setError))}>
          Sign out
        </button>
      </div>
      <Fault of={error} />
    </div>
  )
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme)
  return (
    <Choice
      label="Theme"
      isCompact
      value={theme}
      options={THEMES}
      onChange={(chosen) => {
        applyTheme(chosen)
        setTheme(chosen)
      }}
    />
  )
}
