import { Link } from '@tanstack/react-router'
import { listOpenSupport } from '#contract/auth/support.ts'
import { useCall } from '../call/use-call.ts'
import { Time } from '../parts/text/time.tsx'
import { useHasRole, useSession } from '../session/session.ts'

/** Shows on every page that vendor staff are in the organization, for as long as they are. */
export function SupportBanner() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const open = useCall(listOpenSupport, { org_id: me.org.id }, { poll: 'background' })
  const sessions = open.data?.items ?? []
  if (sessions.length === 0) return null
  const canWrite = sessions.some(({ elevated_at }) => elevated_at !== null)
  const end = sessions
    .map(({ expires_at }) => expires_at)
    .toSorted()
    .at(-1)!
  return (
    <output className="support-banner">
      <strong>Support staff of the vendor {canWrite ? 'can read and change' : 'can read'} this organization.</strong>{' '}
      <span>
        {sessions.length === 1 ? 'Their session ends' : `Their ${sessions.length} sessions end`} <Time at={end} /> at
        the latest.
      </span>{' '}
      {isOwner ? (
        <Link to="/settings/organization/audit">See who and why</Link>
      ) : (
        <span>Owners see who they are and why.</span>
      )}
    </output>
  )
}
