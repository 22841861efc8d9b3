import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Copy } from '#console/parts/copy.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Page } from '#console/parts/page.tsx'
import { Tabs } from '#console/parts/tabs.tsx'
import { useHasRole } from '#console/session/session.ts'
import { getSource } from '#contract/data-sources/search-config.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { fromManaged, fromSlim, type Source, SourceContext } from './source.ts'
import { ConfigurationChip, ExposureChip } from './source-chips.tsx'
import '#console/styles/mcp.css'

/** One data source: asking it, its configuration, its exposure and its questions. */
export function SourcePage() {
  const { id } = useParams({ from: '/mcp/sources/$id' })
  return useHasRole('developer') ? <Managed id={id} /> : <Askable id={id} />
}

/**
 * The list is read first: it answers also while the database of a source cannot be reached, so that its exposure can
 * still be changed. A source beyond the first page is read on its own.
 */
function Managed({ id }: { id: string }) {
  const list = useCall(listSources, { limit: 100 })
  const listed = list.data?.items.find((source) => source.source_id === id || source.id === id)
  const single = useCall(getSource, { id }, { enabled: list.data !== undefined && !listed })
  const read = list.data === undefined || listed ? { ...list, data: listed } : single
  return <Loaded of={read}>{(source) => <Shown source={fromManaged(source)} />}</Loaded>
}

function Askable({ id }: { id: string }) {
  const list = useCall(listSlimSources, {})
  return (
    <Loaded of={list}>
      {({ items }) => {
        const source = items.find((item) => item.id === id)
        return source ? <Shown source={fromSlim(source)} /> : <NotAskable id={id} />
      }}
    </Loaded>
  )
}

function Shown({ source }: { source: Source }) {
  const { id } = source
  const isDeveloper = useHasRole('developer')
  const address = `/mcp/sources/${id}`
  const tabs = [
    { label: 'Ask', to: address },
    ...(isDeveloper
      ? [
          { label: 'Configuration', to: `${address}/configuration` },
          { label: 'Exposure', to: `${address}/exposure` },
        ]
      : []),
    { label: 'Activity', to: `${address}/activity` },
  ]
  return (
    <Page title={source.name} trail={<Trail />}>
      <div className="row facts">
        <ExposureChip source={source} />
        <ConfigurationChip source={source} />
        <Copy text={id} />
      </div>
      {source.description !== '' && <p className="soft">{source.description}</p>}
      <Tabs label="Parts of the source" items={tabs} />
      <SourceContext value={source}>
        <Outlet />
      </SourceContext>
    </Page>
  )
}

function NotAskable({ id }: { id: string }) {
  return (
    <Page title="Data source" trail={<Trail />}>
      <Empty title="You cannot ask this source">
        <p>
          <code>{id}</code> does not exist, is not exposed, or its minimum role is above yours. An admin can expose it
          or lower the minimum role.
        </p>
      </Empty>
    </Page>
  )
}

function Trail() {
  return (
    <nav className="trail" aria-label="Breadcrumb">
      <Link to="/mcp/sources">Data sources</Link>
    </nav>
  )
}
