import { useState } from 'react'
import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { listSessions } from '#contract/auth/sign-in.ts'
import { EndSession } from './end-session.tsx'
import { ProfileTabs } from './tabs.tsx'

type OwnSession = z.infer<typeof listSessions.output>['items'][number]

/** Where the person is signed in. Any of the sessions can be ended. */
export function SessionsPage() {
  const sessions = useCall(listSessions, {})
  const [ended, setEnded] = useState<OwnSession>()
  const columns: readonly Column<OwnSession>[] = [
    {
      head: 'Signed in',
      cell: ({ created_at, is_current }) => (
        <span className="row">
          <Time at={created_at} /> {is_current && <Chip tone="success">This session</Chip>}
        </span>
      ),
    },
    { head: 'Last used', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { head: 'Organization', cell: ({ org_name }) => org_name ?? 'none', isWide: true },
    {
      head: 'Acts',
      cell: (session) =>
        !session.is_current && (
          <button type="button" className="button small" onClick={() => setEnded(session)}>
            End session
            <span className="visually-hidden"> of {new Date(session.created_at).toLocaleString()}</span>
          </button>
        ),
    },
  ]
  return (
    <Page title="Profile settings" section="Sessions">
      <ProfileTabs />
      <p className="soft">
        Each browser and each program in which you signed in. End what you do not recognise; to end this session, sign
        out. API tokens and connected agents are not sessions.
      </p>
      <Loaded of={sessions}>
        {({ items }) => <Table caption="Your sessions" columns={columns} rows={items} keyOf={({ id }) => id} />}
      </Loaded>
      {ended && <EndSession session={ended} onClose={() => setEnded(undefined)} />}
    </Page>
  )
}
