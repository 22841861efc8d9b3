import { useId } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
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
  const changes = [listSources, listSlimSources]
  const stop = useAct(exposeSource, { changes, done: `${name} is no longer exposed.` })
  return (
    <ActForm
      className="card"
      op={exposeSource}
      fields={{ min_role: minRole ?? 'viewer' }}
      input={({ min_role }) => ({ id, exposed: true, min_role })}
      changes={changes}
      done={(_, { min_role }) => `${name} is exposed. ${WHO[min_role ?? 'viewer']} can ask it.`}
      next={stop}
      submit={isExposed ? 'Change minimum role' : 'Expose source'}
      isReady={({ min_role }) => !isExposed || min_role !== minRole}
      foot={(button) => (
        <div className="row">
          {button}
          {isExposed && (
            <button
              type="button"
              className="button"
              aria-busy={stop.isRunning}
              onClick={() => stop.run({ id, exposed: false })}
            >
              Stop exposing
            </button>
          )}
        </div>
      )}
    >
      {({ min_role }, change) => (
        <fieldset className="radios">
          <legend>Minimum role</legend>
          {MIN_ROLES.map((value) => (
            <label key={value}>
              <input
                type="radio"
                name={group}
                checked={min_role === value}
                onChange={() => change({ min_role: value })}
              />
              <span>
                <strong>{value}</strong>
                <span className="soft">{WHO[value]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </ActForm>
  )
}
