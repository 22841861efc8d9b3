import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Choice } from '#console/parts/choice.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { LongTable } from '#console/parts/long-table.tsx'
import { Page } from '#console/parts/page.tsx'
import type { Column } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { ackNotification, countUnread, type InboxEntry, listInbox } from '#contract/notifications/inbox.ts'

const SHOWN = [
  { value: 'all', label: 'All notifications' },
  { value: 'unread', label: 'Unread only' },
] as const

/** The person's own notifications in this organization. */
export function InboxPage() {
  const { unread = false } = useSearch({ from: '/inbox' })
  const navigate = useNavigate({ from: '/inbox' })
  const entries = usePages(listInbox, unread ? { unread, limit: 100 } : { limit: 100 })
  const ack = useAct(ackNotification, { changes: [listInbox, countUnread] })
  const columns: readonly Column<InboxEntry>[] = [
    { head: 'What happened', cell: (entry) => <Subject entry={entry} onOpen={() => ack.run({ id: entry.id })} /> },
    { head: 'App', cell: ({ app }) => app ?? '', isWide: true },
    { head: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
    {
      head: 'Read',
      isWide: true,
      cell: ({ id, read_at, subject }) =>
        read_at === null ? (
          <button type="button" className="button small" onClick={() => ack.run({ id })}>
            Mark as read<span className="visually-hidden">: {subject}</span>
          </button>
        ) : (
          <Time at={read_at} />
        ),
    },
  ]
  return (
    <Page title="Inbox">
      <div className="filters">
        <Choice
          label="Show"
          isCompact
          value={unread ? 'unread' : 'all'}
          options={SHOWN}
          onChange={(shown) => void navigate({ search: shown === 'unread' ? { unread: true } : {} })}
        />
      </div>
      <Loaded of={entries}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={unread ? 'Nothing unread' : 'No notifications yet'}>
              <p>
                You get one when something happens in an app that you follow. Choose what you follow under{' '}
                <Link to="/settings/profile">Profile settings</Link>.
              </p>
            </Empty>
          ) : (
            <LongTable caption="Notifications" columns={columns} rows={items} keyOf={({ id }) => id} {...entries} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Subject({ entry, onOpen }: { entry: InboxEntry; onOpen: () => void }) {
  return (
    <>
      {entry.read_at === null && <Chip tone="running">New</Chip>}{' '}
      <Link to={pathOf(entry.link)} onClick={onOpen}>
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
