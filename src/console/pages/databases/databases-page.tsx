import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Confirm } from '#console/parts/confirm.tsx'
import { Copy } from '#console/parts/copy.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Page } from '#console/parts/page.tsx'
import { sizeText } from '#console/parts/size.ts'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { useHasRole } from '#console/session/session.ts'
import { type Database, dropDatabase, listDatabases } from '#contract/databases.ts'
import { ConnectionString } from './connection-string.tsx'
import { CreateDatabase } from './create-database.tsx'
import { useSizes } from './use-sizes.ts'

type Opened = { act: 'create' } | { act: 'connect' | 'drop'; name: string }

/** The managed databases of the organization. */
export function DatabasesPage() {
  const databases = usePages(listDatabases, { limit: 100 })
  const sizeOf = useSizes(databases.data?.map(({ name }) => name) ?? [])
  const isDeveloper = useHasRole('developer')
  const isAdmin = useHasRole('admin')
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const columns: readonly Column<Database>[] = [
    { head: 'Name', cell: ({ name }) => <code>{name}</code> },
    { head: 'State', cell: ({ state }) => <StateChip state={state} /> },
    { head: 'Size on disk', cell: ({ name }) => <Size bytes={sizeOf(name)} />, isNumber: true, isWide: true },
    { head: 'Data source', cell: (database) => <SourceLink database={database} />, isWide: true },
    { head: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    {
      head: 'Acts',
      cell: ({ name, state }) => (
        <span className="acts">
          {state === 'ready' && (
            <button type="button" className="button small" onClick={() => setOpened({ act: 'connect', name })}>
              Connect<span className="visually-hidden"> to {name}</span>
            </button>
          )}
          {isAdmin && (
            <button type="button" className="button small danger" onClick={() => setOpened({ act: 'drop', name })}>
              Drop<span className="visually-hidden"> {name}</span>
            </button>
          )}
        </span>
      ),
    },
  ]
  const create = (
    <button type="button" className="button main" onClick={() => setOpened({ act: 'create' })}>
      Create database
    </button>
  )
  return (
    <Page title="Databases" acts={isDeveloper && create}>
      <p className="soft">Postgres with pgvector. Each has an owner role and a password of its own.</p>
      <Loaded of={databases}>
        {(items) =>
          items.length === 0 ? (
            <NoDatabases />
          ) : (
            <>
              <Table caption="Databases" columns={columns} rows={items} keyOf={({ name }) => name} />
              <More of={databases} />
            </>
          )
        }
      </Loaded>
      {opened?.act === 'create' && <CreateDatabase onClose={close} />}
      {opened?.act === 'connect' && <ConnectionString name={opened.name} onClose={close} />}
      {opened?.act === 'drop' && <Drop name={opened.name} onClose={close} />}
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

function Drop({ name, onClose }: { name: string; onClose: () => void }) {
  const drop = useAct(dropDatabase, { changes: [listDatabases], done: () => `Dropped ${name}.`, after: onClose })
  return (
    <Confirm
      title="Drop database"
      typed={name}
      isRunning={drop.isRunning}
      error={drop.error}
      onConfirm={() => drop.run({ name, confirm: name })}
      onClose={onClose}
    >
      <p>
        <strong>{name}</strong> and everything in it is deleted. This cannot be undone. A database that is exposed as a
        data source is not dropped.
      </p>
    </Confirm>
  )
}
