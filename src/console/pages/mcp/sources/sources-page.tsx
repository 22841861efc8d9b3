import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { useHasRole } from '#console/session/session.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { fromManaged, fromSlim, type Source } from '../source/source.ts'
import { ConfigurationChip, ExposureChip } from '../source/source-chips.tsx'
import { EnableSource } from './enable-source.tsx'
import { NoSources, NothingToAsk } from './no-sources.tsx'

/** Lists the data sources: all of them to developers and above, to others those that they may ask. */
export function SourcesPage() {
  const isDeveloper = useHasRole('developer')
  const isAdmin = useHasRole('admin')
  const [isEnabling, setEnabling] = useState(false)
  const enable = (
    <button type="button" className="button main" onClick={() => setEnabling(true)}>
      Enable database as source
    </button>
  )
  return (
    <Page title="Data sources" acts={isAdmin && enable}>
      <p className="soft">
        Databases that people and agents can ask questions. Only the configured columns are returned.
      </p>
      {isDeveloper ? <Managed /> : <Askable />}
      {isEnabling && <EnableSource onClose={() => setEnabling(false)} />}
    </Page>
  )
}

function Managed() {
  const sources = usePages(listSources, { limit: 100 })
  return (
    <Loaded of={sources}>
      {(items) =>
        items.length === 0 ? (
          <NoSources />
        ) : (
          <>
            <Sources sources={items.map(fromManaged)} columns={[NAME, EXPOSURE, MIN_ROLE, CONFIGURATION, ID]} />
            <More of={sources} />
          </>
        )
      }
    </Loaded>
  )
}

function Askable() {
  const sources = useCall(listSlimSources, {})
  return (
    <Loaded of={sources}>
      {({ items }) =>
        items.length === 0 ? <NothingToAsk /> : <Sources sources={items.map(fromSlim)} columns={[NAME, ABOUT, ID]} />
      }
    </Loaded>
  )
}

function Sources({ sources, columns }: { sources: readonly Source[]; columns: readonly Column<Source>[] }) {
  return <Table caption="Data sources" columns={columns} rows={sources} keyOf={({ id }) => id} />
}

const NAME: Column<Source> = {
  head: 'Name',
  cell: ({ id, name }) => (
    <Link to="/mcp/sources/$id" params={{ id }}>
      {name}
    </Link>
  ),
}
const EXPOSURE: Column<Source> = { head: 'Exposure', cell: (source) => <ExposureChip source={source} /> }
const MIN_ROLE: Column<Source> = {
  head: 'Minimum role',
  cell: ({ minRole }) => minRole ?? <span className="soft">not set</span>,
  isWide: true,
}
const CONFIGURATION: Column<Source> = { head: 'Search', cell: (source) => <ConfigurationChip source={source} /> }
const ABOUT: Column<Source> = { head: 'About', cell: ({ description }) => description }
const ID: Column<Source> = { head: 'Id', cell: ({ id }) => <code>{id}</code>, isWide: true }
