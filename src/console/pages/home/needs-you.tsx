import { Link } from '@tanstack/react-router'
import { listApps } from '#contract/apps/apps.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { useCall } from '../../call/use-call.ts'
import { Chip } from '../../parts/chip.tsx'

/** What waits for the person: failed deploys and unread notifications. */
export function NeedsYou() {
  const apps = useCall(listApps, { limit: 100 })
  const unread = useCall(listInbox, { unread: true, limit: 100 })
  const failed = apps.data?.items.filter(({ latest_deploy }) => latest_deploy?.state === 'failed') ?? []
  const count = unread.data?.items.length ?? 0
  const isKnown = apps.data !== undefined && unread.data !== undefined
  return (
    <section className="card" aria-labelledby="needs-you">
      <h2 id="needs-you">Needs you</h2>
      {isKnown && failed.length === 0 && count === 0 && <p className="soft">Nothing waits for you.</p>}
      <ul className="plain">
        {failed.map(({ alias, name }) => (
          <li key={alias}>
            <Chip tone="failure">Deploy failed</Chip>{' '}
            <Link to="/apps/$alias/deploys" params={{ alias }}>
              {name}
            </Link>
          </li>
        ))}
        {count > 0 && (
          <li>
            <Chip tone="running">Unread</Chip>{' '}
            <Link to="/inbox" search={{ unread: true }}>
              {unread.data?.next_cursor === null ? count : 'more than 100'} notifications
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}
