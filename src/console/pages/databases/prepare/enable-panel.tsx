import { ActButton } from '#console/parts/form/act-button.tsx'
import { useHasRole } from '#console/session/session.ts'
import { listSources, switchSource } from '#contract/data-sources/sources.ts'
import { listDatabases } from '#contract/databases.ts'

/** A configuration is saved for a data source, so the database must be one first. */
export function EnablePanel({ database }: { database: string }) {
  const isAdmin = useHasRole('admin')
  return (
    <section className="card">
      <h2>Not a data source yet</h2>
      <p>
        A configuration is checked, previewed and saved for a data source. Enabling exposes nothing: nobody can ask it
        before it is configured and exposed.
      </p>
      {isAdmin ? (
        <ActButton
          op={switchSource}
          input={{ name: database, enabled: true }}
          look="main"
          changes={[listSources, listDatabases]}
          done={`Enabled ${database} as a data source.`}
        >
          Enable source
        </ActButton>
      ) : (
        <p className="soft">An admin or owner can enable it.</p>
      )}
    </section>
  )
}
