import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { endOwnSession, listSessions } from '#contract/auth/sign-in.ts'
import { ProfileTabs } from './tabs.tsx'

type OwnSession = z.infer<typeof listSessions.output>['items'][number]

/** Where the person is signed in. Any of the sessions can be ended. */
export function SessionsPage() {
  const sessions = useCall(listSessions, {})
  const columns: readonly Column<OwnSession>[] = [
    {
      head: 'Where',
      cell: (session) => (
        <span className="row">
          {placeOf(session)} {session.is_current && <Chip tone="success">This session</Chip>}
        </span>
      ),
    },
    { head: 'Signed in', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    { head: 'Last used', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { head: 'Organization', cell: ({ org_name }) => org_name ?? 'none', isWide: true },
    {
      head: 'Actions',
      cell: (session) =>
        !session.is_current && (
          <AskButton
            of={`of ${placeOf(session)}, ${new Date(session.created_at).toLocaleString()}`}
            look="small"
            title="End session"
            op={endOwnSession}
            input={{ id: session.id }}
            changes={[listSessions]}
            done="The session has ended."
          >
            <p>
              {placeOf(session)}, which signed in <Time at={session.created_at} />, is signed out at once. Whoever uses
              it has to sign in again.
            </p>
          </AskButton>
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
        {({ items }) => (
          <Table isStacked caption="Your sessions" columns={columns} rows={items} keyOf={({ id }) => id} />
        )}
      </Loaded>
    </Page>
  )
}

/** The browser and its address. Both are missing in sessions of former releases, and the first in programs. */
function placeOf({ signed_in_with, signed_in_from }: OwnSession): string {
  const browser = signed_in_with ?? 'Unknown browser or program'
  return signed_in_from === null ? browser : `${browser} at ${signed_in_from}`
}
