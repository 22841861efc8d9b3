import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { Choice } from '#console/parts/form/choice.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { LongList } from '#console/parts/list/long-list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useSession } from '#console/session/session.ts'
import { ackInbox, ackNotification, countUnread, type InboxEntry, listInbox } from '#contract/notifications/inbox.ts'

const ACKED = [listInbox, countUnread]

const SHOWN = [
  { value: 'all', label: 'All notifications' },
  { value: 'unread', label: 'Unread only' },
] as const

/** The person's own notifications in this organization. */
export function InboxPage() {
  const { unread = false } = useSearch({ from: '/inbox' })
  const navigate = useNavigate({ from: '/inbox' })
  const entries = usePages(listInbox, unread ? { unread, limit: 100 } : { limit: 100 }, { isWatched: true })
  const columns: readonly Column<InboxEntry>[] = [
    { head: 'What happened', cell: (entry) => <Subject entry={entry} /> },
    { head: 'App', cell: ({ app }) => app ?? '', isWide: true },
    { head: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
    {
      head: 'Read',
      isWide: true,
      cell: ({ id, read_at, subject }) =>
        read_at === null ? (
          <ActButton op={ackNotification} input={{ id }} look="small" changes={ACKED}>
            Mark as read<span className="visually-hidden">: {subject}</span>
          </ActButton>
        ) : (
          <Time at={read_at} />
        ),
    },
  ]
  return (
    <Page title="Inbox" acts={<MarkAll entries={entries.data ?? []} />}>
      <div className="filters">
        <Choice
          label="Show"
          isCompact
          value={unread ? 'unread' : 'all'}
          options={SHOWN}
          onChange={(shown) => void navigate({ search: shown === 'unread' ? { unread: true } : {} })}
        />
      </div>
      <LongList
        hasSentences
        of={entries}
        caption="Notifications"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={unread ? 'Nothing unread' : 'No notifications yet'}>
            <p>
              You get one when something happens in an app that you follow. Choose what you follow under{' '}
              <Link to="/settings/profile">Profile settings</Link>.
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

/** Marks what was read so far, so that one that arrives at that moment stays new. */
function MarkAll({ entries }: { entries: readonly InboxEntry[] }) {
  const { me } = useSession()
  const unread = useCall(countUnread, {}, { enabled: !me.read_only }).data?.unread ?? 0
  const [newest] = entries
  if (newest === undefined || unread === 0) return null
  return (
    <ActButton
      op={ackInbox}
      input={{ up_to: newest.id }}
      changes={ACKED}
      done={({ marked }) =>
        marked === 1 ? 'Marked 1 notification as read.' : `Marked ${marked} notifications as read.`
      }
    >
      Mark all as read
    </ActButton>
  )
}

function Subject({ entry }: { entry: InboxEntry }) {
  const ack = useAct(ackNotification, { changes: ACKED })
  return (
    <>
      {entry.read_at === null && <Chip tone="running">New</Chip>}{' '}
      <Link to={pathOf(entry.link)} onClick={() => ack.run({ id: entry.id })}>
        {entry.subject}
      </Link>
    </>
  )
}

/** Links of notifications name the whole address; within the console only its path matters. */
function pathOf(link: string): string {
  const { pathname, search } = new URL(link, location.origin)
  return pathname + search
}
