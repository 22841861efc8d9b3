import type { z } from 'zod'
import { listAudit } from '#contract/auth/members.ts'
import { usePages } from '../../../call/use-pages.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { LongTable } from '../../../parts/long-table.tsx'
import { Page } from '../../../parts/page.tsx'
import type { Column } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import { useSession } from '../../../session/session.ts'
import { OrganizationTabs } from './tabs.tsx'

type Entry = z.infer<typeof listAudit.output>['items'][number]

const COLUMNS: readonly Column<Entry>[] = [
  { head: 'What', cell: ({ action }) => <code>{action}</code> },
  { head: 'Who', cell: ({ actor }) => actor },
  { head: 'On', cell: ({ target }) => target, isWide: true },
  { head: 'Details', cell: ({ detail }) => <code>{detailText(detail)}</code>, isWide: true },
  { head: 'When', cell: ({ at }) => <Time at={at} /> },
]

/** Who changed what in the organization. For owners. */
export function AuditPage() {
  const { me } = useSession()
  const entries = usePages(listAudit, { org_id: me.org.id, limit: 100 })
  return (
    <Page title="Organization settings">
      <OrganizationTabs />
      <Loaded of={entries}>
        {(items) => (
          <LongTable caption="Audit log" columns={COLUMNS} rows={items} keyOf={({ id }) => id} {...entries} />
        )}
      </Loaded>
    </Page>
  )
}

function detailText(detail: Entry['detail']): string {
  return Object.entries(detail)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
