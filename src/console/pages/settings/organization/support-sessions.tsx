import type { z } from 'zod'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/list/chip.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useNow } from '#console/parts/text/use-now.ts'
import { useSession } from '#console/session/session.ts'
import { listSupport } from '#contract/auth/support.ts'

type SupportSession = z.infer<typeof listSupport.output>['items'][number]

const COLUMNS: readonly Column<SupportSession>[] = [
  { head: 'Who', cell: ({ staff_email }) => staff_email },
  { head: 'State', cell: (session) => <State session={session} /> },
  { head: 'Reason', cell: ({ reason }) => reason },
  { head: 'Could', cell: ({ elevated_at }) => (elevated_at === null ? 'read' : 'read and change'), isWide: true },
  { head: 'Began', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
]

/** Vendor staff who were or are in the organization. For owners. */
export function SupportSessions() {
  const { me } = useSession()
  const sessions = usePages(listSupport, { org_id: me.org.id })
  return (
    <section className="part" aria-labelledby="support-sessions">
      <div className="part-head">
        <h2 id="support-sessions">Support sessions</h2>
      </div>
      <List
        isStacked
        of={sessions}
        caption="Support sessions"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <p className="soft">
            Vendor staff never opened this organization. If they do, every page says so, and owners and admins get a
            mail.
          </p>
        }
      />
    </section>
  )
}

function State({ session: { ended_at, expires_at } }: { session: SupportSession }) {
  const now = useNow()
  if (ended_at !== null || new Date(expires_at) <= now) return <Chip tone="plain">Ended</Chip>
  return <Chip tone="attention">Open</Chip>
}
