import { useId, useState } from 'react'
import { explain } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { useHasRole } from '#console/session/session.ts'
import { exposeSource, listSlimSources, listSources, MIN_ROLES, type MinRole } from '#contract/data-sources/sources.ts'
import { type Source, useSource } from './source.ts'
import { SwitchSource } from './switch-source.tsx'
import '#console/styles/mcp.css'

const WHO: Record<MinRole, string> = {
  viewer: 'Everyone in the organization',
  developer: 'Developers, admins and owners',
  admin: 'Admins and owners',
  owner: 'Owners only',
}

/** Who may ask the source. */
export function ExposureTab() {
  const source = useSource()
  const isAdmin = useHasRole('admin')
  return (
    <div className="stack">
      {source.isEnabled && (isAdmin ? <Roles source={source} /> : <Fact source={source} />)}
      <p className="banner">
        The minimum role decides who can ask questions. It does not protect the database itself: anyone with the
        connection string can read everything in it.
      </p>
      {isAdmin && <SwitchSource source={source} />}
    </div>
  )
}

function Fact({ source: { isExposed, minRole } }: { source: Source }) {
  return (
    <section className="card">
      <h2>{isExposed ? 'Exposed' : 'Not exposed'}</h2>
      <p>{isExposed && minRole !== null ? `${WHO[minRole]} can ask it.` : 'Nobody can ask it.'}</p>
      <p className="soft">An admin can change this.</p>
    </section>
  )
}

function Roles({ source: { id, name, isExposed, minRole } }: { source: Source }) {
  const group = useId()
  const [role, setRole] = useState<MinRole>(minRole ?? 'viewer')
  const expose = useAct(exposeSource, {
    changes: [listSources, listSlimSources],
    done: (_, { exposed, min_role }) =>
      exposed ? `${name} is exposed. ${WHO[min_role ?? role]} can ask it.` : `${name} is no longer exposed.`,
  })
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault()
        expose.run({ id, exposed: true, min_role: role })
      }}
    >
      <fieldset className="radios">
        <legend>Minimum role</legend>
        {MIN_ROLES.map((value) => (
          <label key={value}>
            <input type="radio" name={group} checked={role === value} onChange={() => setRole(value)} />
            <span>
              <strong>{value}</strong>
              <span className="soft">{WHO[value]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {expose.error !== null && (
        <p className="fault" role="alert">
          {explain(expose.error)}
        </p>
      )}
      <div className="row">
        <button
          type="submit"
          className="button main"
          aria-busy={expose.isRunning}
          disabled={isExposed && role === minRole}
        >
          {isExposed ? 'Change minimum role' : 'Expose source'}
        </button>
        {isExposed && (
          <button type="button" className="button" onClick={() => expose.run({ id, exposed: false })}>
            Stop exposing
          </button>
        )}
      </div>
    </form>
  )
}
