import { useNavigate, useSearch } from '@tanstack/react-router'
import type { z } from 'zod'
import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { LongTable } from '#console/parts/list/long-table.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listAudit } from '#contract/auth/members.ts'
import { AuditFilters } from './audit-filters.tsx'
import { toAuditInput } from './audit-search.ts'
import { actionText, detailText, shortTarget, userIdsOf, withNames } from './audit-text.ts'
import { ExportAudit } from './export-audit.tsx'
import { OrganizationPage } from './organization-page.tsx'
import { SupportSessions } from './support-sessions.tsx'

type Entry = z.infer<typeof listAudit.output>['items'][number]

const columnsOf = (nameOf: (userId: string) => string): readonly Column<Entry>[] => [
  { head: 'What', cell: ({ action }) => <span title={action}>{actionText(action)}</span> },
  { head: 'Who', cell: ({ actor, actor_name }) => <Actor actor={actor} name={actor_name} />, isPlain: true },
  { head: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    head: 'On',
    cell: ({ target }) => <span title={target}>{withNames(shortTarget(target), nameOf)}</span>,
    isWide: true,
  },
  { head: 'Details', cell: ({ detail }) => <code>{withNames(detailText(detail), nameOf)}</code>, isWide: true },
]

/** Lists who changed what in the organization. Admins see the part about support access. */
export function AuditPage() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const search = useSearch({ from: '/settings/organization/audit' })
  const navigate = useNavigate({ from: '/settings/organization/audit' })
  const input = { org_id: me.org.id, ...toAuditInput(search) }
  const entries = usePages(listAudit, { ...input, limit: 100 }, { isWatched: true })
  const nameOf = useNames(entries.data?.flatMap(userIdsOf) ?? [])
  return (
    <OrganizationPage>
      {!isOwner && <p className="soft">Support access by vendor staff. Owners see the whole audit log.</p>}
      <AuditFilters
        search={search}
        onChange={(changed) => void navigate({ search: { ...search, ...changed }, replace: true })}
      />
      <Loaded of={entries}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No entry matches">
              <p>Choose more days, another person or everything.</p>
            </Empty>
          ) : (
            <div className="stack">
              <LongTable
                caption="Audit log"
                columns={columnsOf(nameOf)}
                rows={items}
                keyOf={({ id }) => id}
                {...entries}
              />
              <div className="row">
                <ExportAudit input={input} />
              </div>
            </div>
          )
        }
      </Loaded>
      {isOwner && <SupportSessions />}
    </OrganizationPage>
  )
}

/** The person, with the id of their token or session for those who search for it. */
function Actor({ actor, name }: { actor: string; name: string | null }) {
  return name === null ? <code>{actor}</code> : <span title={actor}>{name}</span>
}
