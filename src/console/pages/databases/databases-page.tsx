import { Link } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { sizeText } from '#console/parts/text/size.ts'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole } from '#console/session/session.ts'
import { type Database, dropDatabase, listDatabases } from '#contract/databases.ts'
import { ConnectionString } from './connection-string.tsx'
import { CreateDatabase } from './create-database.tsx'
import { useSizes } from './use-sizes.ts'

export function DatabasesPage() {
  const databases = usePages(listDatabases, { limit: 100 })
  const sizeOf = useSizes(databases.data?.map(({ name }) => name) ?? [])
  const isDeveloper = useHasRole('developer')
  const isAdmin = useHasRole('admin')
  const columns: readonly Column<Database>[] = [
    { head: 'Name', cell: (database) => <Name database={database} /> },
    { head: 'State', cell: ({ state }) => <StateChip state={state} /> },
    { head: 'Size on disk', cell: ({ name }) => <Size bytes={sizeOf(name)} />, isNumber: true, isWide: true },
    { head: 'Data source', cell: (database) => <SourceLink database={database} />, isWide: true },
    { head: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    {
      head: 'Actions',
      cell: ({ name, state }) => (
        <span className="acts">
          {state === 'ready' && (
            <Opener label="Connect" of={`to ${name}`} look="small" dialog={<ConnectionString name={name} />} />
          )}
          {isAdmin && (
            <AskButton
              label="Drop"
              of={name}
              look="small danger"
              title="Drop database"
              typed={name}
              op={dropDatabase}
              input={{ name, confirm: name }}
              changes={[listDatabases]}
              done={`Dropped ${name}.`}
            >
              <p>
                <strong>{name}</strong> and everything in it is deleted. This cannot be undone. A database that is
                exposed as a data source is not dropped.
              </p>
            </AskButton>
          )}
        </span>
      ),
    },
  ]
  const create = <Opener label="Create database" look="main" dialog={<CreateDatabase />} />
  return (
    <Page title="Databases" acts={isDeveloper && create}>
      <p className="soft">Postgres with pgvector. Each has an owner role and a password of its own.</p>
      <List of={databases} caption="Databases" columns={columns} keyOf={({ name }) => name} empty={<NoDatabases />} />
    </Page>
  )
}

function NoDatabases() {
  return (
    <Empty title="No databases yet">
      <p>
        A database holds what apps store and what people and agents can ask. Create one here or on the command line.
      </p>
      <Copy isBlock text="svc db create docs" />
    </Empty>
  )
}

/** Only a database that is ready has tables to show. */
function Name({ database: { name, state } }: { database: Database }) {
  if (state !== 'ready') return <code>{name}</code>
  return (
    <Link to="/databases/$name" params={{ name }}>
      <code>{name}</code>
    </Link>
  )
}

function StateChip({ state }: Pick<Database, 'state'>) {
  if (state === 'ready') return <Chip tone="success">Ready</Chip>
  if (state === 'creating') return <Chip tone="running">Creating</Chip>
  if (state === 'dropping') return <Chip tone="running">Dropping</Chip>
  return <Chip tone="failure">Not created</Chip>
}

function Size({ bytes }: { bytes: number | null | undefined }) {
  if (bytes === undefined) return <span className="soft">…</span>
  return bytes === null ? <span className="soft">unknown</span> : sizeText(bytes)
}

function SourceLink({ database: { name, data_source } }: { database: Database }) {
  if (!data_source?.enabled) return <span className="soft">no</span>
  return (
    <Link to="/mcp/sources/$id" params={{ id: `db_${name}` }}>
      {data_source.exposed ? 'exposed' : 'not exposed'}
    </Link>
  )
}
