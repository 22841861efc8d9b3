import { useState } from 'react'
import { explain } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { listSlimSources, listSources, switchSource } from '#contract/data-sources/sources.ts'
import { listDatabases } from '#contract/databases.ts'
import type { Source } from './source.ts'

/** Switches the database on or off as a data source. */
export function SwitchSource({ source: { database, name, isEnabled } }: { source: Source }) {
  const [isAsking, setAsking] = useState(false)
  const change = useAct(switchSource, {
    changes: [listSources, listSlimSources, listDatabases],
    done: (_, { enabled }) => (enabled ? `Switched ${name} on.` : `Switched ${name} off.`),
    after: () => setAsking(false),
  })
  if (!isEnabled)
    return (
      <section className="card">
        <h2>Switched off</h2>
        <p>Nobody can ask this database. Its configuration is kept; switching it on does not expose it.</p>
        {change.error !== null && (
          <p className="fault" role="alert">
            {explain(change.error)}
          </p>
        )}
        <button
          type="button"
          className="button main"
          aria-busy={change.isRunning}
          onClick={() => change.run({ name: database, enabled: true })}
        >
          Switch source on
        </button>
      </section>
    )
  return (
    <section className="card">
      <h2>Switch source off</h2>
      <p className="soft">The database stays as it is. It is no longer a data source, and no longer exposed.</p>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Switch source off
      </button>
      {isAsking && (
        <Confirm
          title="Switch source off"
          isRunning={change.isRunning}
          error={change.error}
          onConfirm={() => change.run({ name: database, enabled: false })}
          onClose={() => setAsking(false)}
        >
          <p>
            Questions to <strong>{name}</strong> are refused from now on. Its configuration is kept. After switching it
            on again, expose it again.
          </p>
        </Confirm>
      )}
    </section>
  )
}
