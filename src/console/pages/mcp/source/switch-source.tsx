import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { listSlimSources, listSources, switchSource } from '#contract/data-sources/sources.ts'
import { listDatabases } from '#contract/databases.ts'
import type { Source } from './source.ts'

export function SwitchSource({ source: { database, name, isEnabled } }: { source: Source }) {
  const changes = [listSources, listSlimSources, listDatabases]
  if (!isEnabled)
    return (
      <section className="card">
        <h2>Switched off</h2>
        <p>Nobody can ask this database. Its configuration is kept; switching it on does not expose it.</p>
        <ActButton
          op={switchSource}
          input={{ name: database, enabled: true }}
          look="main"
          changes={changes}
          done={`Switched ${name} on.`}
        >
          Switch source on
        </ActButton>
      </section>
    )
  return (
    <section className="card">
      <h2>Switch source off</h2>
      <p className="soft">The database stays as it is. It is no longer a data source, and no longer exposed.</p>
      <AskButton
        title="Switch source off"
        op={switchSource}
        input={{ name: database, enabled: false }}
        changes={changes}
        done={`Switched ${name} off.`}
      >
        <p>
          Questions to <strong>{name}</strong> are refused from now on. Its configuration is kept. After switching it on
          again, expose it again.
        </p>
      </AskButton>
    </section>
  )
}
