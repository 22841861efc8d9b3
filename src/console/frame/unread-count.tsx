import { countUnread } from '#contract/notifications/inbox.ts'
import { useCall } from '../call/use-call.ts'
import { useSession } from '../session/session.ts'

const MAX_SHOWN_COUNT = 99

/** The number of unread notifications. Nothing is shown for none. */
export function UnreadCount() {
  const { me } = useSession()
  const unread = useCall(countUnread, {}, { poll: 'background', enabled: !me.read_only }).data?.unread ?? 0
  if (unread === 0) return null
  return (
    <>
      {' '}
      <span className="count" aria-hidden="true">
        {unread > MAX_SHOWN_COUNT ? `${MAX_SHOWN_COUNT}+` : unread}
      </span>
      <span className="visually-hidden">{unread} unread</span>
    </>
  )
}
