import { Outlet, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Tabs } from '#console/parts/page/tabs.tsx'
import { Trail } from '#console/parts/page/trail.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { useHasRole } from '#console/session/session.ts'
import { getSource } from '#contract/data-sources/search-config.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { fromManaged, fromSlim, type Source, SourceContext } from './source.ts'
import { ConfigurationChip, ExposureChip } from './source-chips.tsx'
import '#console/styles/mcp.css'

const TRAIL = <Trail items={[{ label: 'Data sources', link: { to: '/mcp/sources' } }]} />

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
  return <Loaded of={read}>{(source) => <SourceTabs source={fromManaged(source)} />}</Loaded>
}

function Askable({ id }: { id: string }) {
  const list = useCall(listSlimSources, {})
  return (
    <Loaded of={list}>
      {({ items }) => {
        const source = items.find((item) => item.id === id)
        return source ? <SourceTabs source={fromSlim(source)} /> : <NotAskable id={id} />
      }}
    </Loaded>
  )
}

function SourceTabs({ source }: { source: Source }) {
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
    <Page title={source.name} trail={TRAIL}>
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
    <Page title="Data source" trail={TRAIL}>
      <Empty title="You cannot ask this source">
        <p>
          <code>{id}</code> does not exist, is not exposed, or its minimum role is above yours. An admin can expose it
          or lower the minimum role.
        </p>
      </Empty>
    </Page>
  )
}
