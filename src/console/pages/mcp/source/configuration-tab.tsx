import { Link } from '@tanstack/react-router'
import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { getSource } from '#contract/data-sources/search-config.ts'
import { asConfigureCommand, EXAMPLE } from './configure-command.ts'
import { useSource } from './source.ts'
import { VectorState } from './vector-state.tsx'
import '#console/styles/mcp.css'

type Saved = z.infer<typeof getSource.output>

/** The saved search configuration, what is wrong with it, and the command that changes it. There is no form. */
export function ConfigurationTab() {
  const { id, database } = useSource()
  const saved = useCall(getSource, { id })
  return <Loaded of={saved}>{(source) => <Configuration id={id} database={database} saved={source} />}</Loaded>
}

function settingsText(settings: NonNullable<Saved['connection_config']['person_settings']>): string {
  return Object.entries(settings)
    .map(([name, claim]) => `${name} (${claim})`)
    .join(', ')
}

function Configuration({ id, database, saved }: { id: string; database: string; saved: Saved }) {
  const { connection_config, filter_schema, warnings, plan, vectors } = saved
  const isEmpty = connection_config.embedding_configs.length === 0
  const document = isEmpty ? EXAMPLE : { connection_config, filter_schema }
  return (
    <div className={isEmpty ? 'stack' : 'stack halves'}>
      {warnings.length > 0 && (
        <section className="banner" aria-label="Warnings">
          <h2>{warnings.length === 1 ? 'Warning' : `${warnings.length} warnings`}</h2>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </section>
      )}
      {isEmpty ? (
        <Empty title="No search configuration yet">
          <p>
            It names the table, its vector column, the model that filled it, and the only columns that are returned.
          </p>
          <p>
            <Link to="/databases/$name" params={{ name: database }}>
              Prepare it from one of your tables
            </Link>
            , or adapt the command below and run it. It is checked against the database before it is saved.
          </p>
        </Empty>
      ) : (
        <section>
          <h2>Saved document</h2>
          {connection_config.person_settings && (
            <p>
              Rows by person: each question sets {settingsText(connection_config.person_settings)} from the person who
              asks, and row-level security decides which rows that person finds. Saving without{' '}
              <code>person_settings</code> shows everyone the same rows.
            </p>
          )}
          <Copy isBlock text={JSON.stringify(document, null, 2)} />
        </section>
      )}
      <div className="stack">
        {plan.length > 0 && (
          <section>
            <h2>How it is searched</h2>
            <ul className="plan">
              {plan.map(({ label, method, index, reason }) => (
                <li key={label}>
                  <strong>{label}</strong> {index === null ? method : `${method} (${index})`}: {reason}
                </li>
              ))}
            </ul>
          </section>
        )}
        {vectors.length > 0 && <VectorState vectors={vectors} />}
        <section>
          <h2>Change it</h2>
          <p className="soft">
            There is no form that saves.{' '}
            <Link to="/databases/$name" params={{ name: database }}>
              Prepare search
            </Link>{' '}
            composes the document from a table, checks it and previews an answer. The command replaces the whole
            configuration; if anything does not match the database, it lists every problem and saves nothing.{' '}
            <code>$KEY</code> is an API token of a developer: <Link to="/settings/tokens">create one</Link>.
          </p>
          <Copy isBlock text={asConfigureCommand(location.origin, id, document)} />
        </section>
      </div>
    </div>
  )
}
