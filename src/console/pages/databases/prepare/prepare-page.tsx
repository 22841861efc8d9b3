import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Trail } from '#console/parts/page/trail.tsx'
import { listModels } from '#contract/ai.ts'
import { listSources } from '#contract/data-sources/sources.ts'
import { listTables } from '#contract/database-tables.ts'
import { Prepare } from './prepare.tsx'
import '#console/styles/prepare.css'

/** Composes the search configuration of one table. Nothing here saves it. */
export function PreparePage() {
  const { name, table } = useParams({ from: '/databases/$name/prepare/$table' })
  const tables = useCall(listTables, { name, table })
  const models = useCall(listModels, {})
  // The person saves in a terminal, so the source is read again while the page is open.
  const sources = useCall(listSources, { limit: 100 }, { poll: 'first' })
  const failed = [tables, models, sources].find(({ data }) => data === undefined)
  const read = failed ? { ...failed, data: undefined } : tables
  const trail = [
    { label: 'Databases', link: { to: '/databases' } },
    { label: name, link: { to: '/databases/$name', params: { name } } },
  ] as const
  return (
    <Page title={`Prepare search of ${table}`} section={name} trail={<Trail items={trail} />}>
      <Loaded of={read} rows={12}>
        {({ items: [found] }) => (
          <Prepare
            database={name}
            table={found!}
            models={models.data!.data.filter(({ capabilities }) => capabilities.includes('embeddings'))}
            source={sources.data!.items.find(({ source_id }) => source_id === `db_${name}`)}
          />
        )}
      </Loaded>
    </Page>
  )
}
