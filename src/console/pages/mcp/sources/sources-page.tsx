import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { useHasRole } from '#console/session/session.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { fromManaged, fromSlim, type Source } from '../source/source.ts'
import { ConfigurationChip, ExposureChip } from '../source/source-chips.tsx'
import { EnableSource } from './enable-source.tsx'

/** Lists the data sources: all of them to developers and above, to others those that they may ask. */
export function SourcesPage() {
  const isDeveloper = useHasRole('developer')
  const isAdmin = useHasRole('admin')
  const enable = <Opener label="Enable database as source" look="main" dialog={<EnableSource />} />
  return (
    <Page title="Data sources" acts={isAdmin && enable}>
      <p className="soft">
        Databases that people and agents can ask questions. Only the configured columns are returned.
      </p>
      {isDeveloper ? <Managed /> : <Askable />}
    </Page>
  )
}

function Managed() {
  const sources = usePages(listSources, { limit: 100 })
  return (
    <List
      of={{ ...sources, data: sources.data?.map(fromManaged) }}
      caption="Data sources"
      columns={[NAME, EXPOSURE, MIN_ROLE, CONFIGURATION, ID]}
      keyOf={({ id }) => id}
      empty={<NoSources />}
    />
  )
}

function Askable() {
  const sources = useCall(listSlimSources, {})
  return (
    <List
      of={{ ...sources, data: sources.data?.items.map(fromSlim) }}
      caption="Data sources"
      columns={[NAME, ABOUT, ID]}
      keyOf={({ id }) => id}
      empty={<NothingToAsk />}
    />
  )
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

/** Shown to developers and above while no database is a data source. */
function NoSources() {
  return (
    <Empty title="No data sources yet">
      <p>
        A data source is a database that an admin enables for questions. Create a database first, then enable it here.
      </p>
      <Copy isBlock text="svc db create docs" />
      <p>
        <Link to="/databases">Go to Databases</Link>
      </p>
    </Empty>
  )
}

/** Shown to people who only ask. */
function NothingToAsk() {
  return (
    <Empty title="No source that you may ask">
      <p>An admin exposes a source with a minimum role. Ask one to expose a source to your role.</p>
    </Empty>
  )
}
