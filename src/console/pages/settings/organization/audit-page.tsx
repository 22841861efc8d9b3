import type { z } from 'zod'
import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { LongTable } from '#console/parts/list/long-table.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listAudit } from '#contract/auth/members.ts'
import { detailText, userIdsOf, withNames } from './audit-text.ts'
import { OrganizationPage } from './organization-page.tsx'
import { SupportSessions } from './support-sessions.tsx'

type Entry = z.infer<typeof listAudit.output>['items'][number]

const columnsOf = (nameOf: (userId: string) => string): readonly Column<Entry>[] => [
  { head: 'What', cell: ({ action }) => <code>{action}</code> },
  { head: 'Who', cell: ({ actor, actor_name }) => <Actor actor={actor} name={actor_name} /> },
  { head: 'When', cell: ({ at }) => <Time at={at} /> },
  { head: 'On', cell: ({ target }) => withNames(target, nameOf), isWide: true },
  { head: 'Details', cell: ({ detail }) => <code>{withNames(detailText(detail), nameOf)}</code>, isWide: true },
]

/** Lists who changed what in the organization. Admins see the part about support access. */
export function AuditPage() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const entries = usePages(listAudit, { org_id: me.org.id, limit: 100 })
  const nameOf = useNames(entries.data?.flatMap(userIdsOf) ?? [])
  return (
    <OrganizationPage>
      {!isOwner && <p className="soft">Support access by vendor staff. Owners see the whole audit log.</p>}
      <Loaded of={entries}>
        {(items) => (
          <LongTable caption="Audit log" columns={columnsOf(nameOf)} rows={items} keyOf={({ id }) => id} {...entries} />
        )}
      </Loaded>
      {isOwner && <SupportSessions />}
    </OrganizationPage>
  )
}

/** The person, with the id of their token or session for those who search for it. */
function Actor({ actor, name }: { actor: string; name: string | null }) {
  return name === null ? <code>{actor}</code> : <span title={actor}>{name}</span>
}
