import { Link, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Trail } from '#console/parts/page/trail.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { listSources } from '#contract/data-sources/sources.ts'
import { listTables } from '#contract/database-tables.ts'
import { ConnectionString } from '../connection-string.tsx'
import { entriesOf } from '../prepare/saved-search.ts'
import { Tables } from './tables.tsx'
import '#console/styles/prepare.css'

/** The tables of one database, and which of them can be searched. */
export function DatabasePage() {
  const { name } = useParams({ from: '/databases/$name' })
  const tables = useCall(listTables, { name })
  const sources = useCall(listSources, { limit: 100 })
  const source = sources.data?.items.find(({ source_id }) => source_id === `db_${name}`)
  return (
    <Page
      title={name}
      section="Tables"
      trail={<Trail items={[{ label: 'Databases', link: { to: '/databases' } }]} />}
      acts={
        <>
          {source && (
            <Link className="button" to="/mcp/sources/$id" params={{ id: source.source_id }}>
              Open data source
            </Link>
          )}
          <Opener label="Connect" of={`to ${name}`} dialog={<ConnectionString name={name} />} />
        </>
      }
    >
      <p className="soft">
        Choose a table and prepare its search: the page composes the configuration, checks it and previews an answer. It
        saves nothing.
      </p>
      <Loaded of={tables}>
        {({ items, left_out }) =>
          items.length === 0 ? (
            <NoTables name={name} />
          ) : (
            <>
              <Tables database={name} tables={items} entries={entriesOf(source)} />
              {left_out > 0 && (
                <p className="soft">
                  {left_out === 1 ? 'One more table is' : `${left_out.toLocaleString('en')} more tables are`} not shown.{' '}
                  <code>svc datasource suggest {name} schema.table</code> reads any of them.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoTables({ name }: { name: string }) {
  return (
    <Empty title="No tables yet">
      <p>This database is empty. Connect to it and create a table with a vector column:</p>
      <Copy
        isBlock
        text={`psql "$(svc db connect ${name} -q)" -c 'create table articles (id bigint primary key, title text, body text, embedding vector(384))'`}
      />
    </Empty>
  )
}
