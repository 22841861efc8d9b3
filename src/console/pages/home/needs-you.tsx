import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/list/chip.tsx'
import { LoadFailed } from '#console/parts/page/load-failed.tsx'
import { Skeleton } from '#console/parts/page/skeleton.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { type App, listApps } from '#contract/apps/apps.ts'
import { readOrgDeletion } from '#contract/auth/deletions.ts'
import { backupState } from '#contract/backups.ts'
import { listFailingChecks } from '#contract/checks/overview.ts'
import { listAllProposals } from '#contract/maintenance/proposals.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { stillServes } from '../apps/deploys/deploy-state.ts'

/** Work that waits for the person: changes to decide about, failing checks, failed deploys, unread notifications. */
export function NeedsYou() {
  const isDeveloper = useHasRole('developer')
  const proposals = useCall(listAllProposals, { status: 'ready' }, { enabled: isDeveloper, poll: 'background' })
  const checks = useCall(listFailingChecks, {}, { poll: 'background' })
  const apps = useCall(listApps, { limit: 100 }, { poll: 'background' })
  const unread = useCall(listInbox, { unread: true, limit: 100 }, { poll: 'background' })
  const isAdmin = useHasRole('admin')
  const backups = useCall(backupState, {}, { enabled: isAdmin })
  const overdue = backups.data?.overdue_since ?? null
  const { me } = useSession()
  const deletion = useCall(readOrgDeletion, { org_id: me.org.id }).data?.deletion ?? null
  const reads = [checks, apps, unread, ...(isDeveloper ? [proposals] : [])]
  const failed = apps.data?.items.flatMap(failedDeploy) ?? []
  const waiting = proposals.data?.items ?? []
  const failing = checks.data?.items ?? []
  const count = unread.data?.items.length ?? 0
  const broken = reads.find(({ error, data }) => error && data === undefined)
  const isKnown = reads.every(({ data }) => data !== undefined)
  return (
    <section className="card" aria-labelledby="needs-you">
      <h2 id="needs-you">Needs you</h2>
      {broken && <LoadFailed error={broken.error} onRetry={() => void broken.refetch()} />}
      {!broken && !isKnown && <Skeleton rows={2} />}
      {isKnown &&
        waiting.length + failing.length + failed.length + count === 0 &&
        overdue === null &&
        deletion === null && (
          <p className="soft">
            {isDeveloper
              ? 'No change waits, no check fails, no deploy failed.'
              : 'No check fails and no deploy failed.'}{' '}
            You have read all notifications.
          </p>
        )}
      <ul className="needs">
        {deletion !== null && (
          <li>
            <Chip tone="failure">Deletion</Chip> <Link to="/settings/organization">{me.org.name} will be deleted</Link>{' '}
            <Time at={deletion.due_at} />
          </li>
        )}
        {overdue !== null && (
          <li>
            <Chip tone="failure">Backup</Chip>{' '}
            <span>
              The last good backup of this installation is too old. Whoever runs it finds the reason with{' '}
              <code>svc-server doctor</code>.
            </span>{' '}
            <Time at={overdue} />
          </li>
        )}
        {waiting.map(({ id, app, summary, created_at }) => (
          <li key={id}>
            <Chip tone="attention">Change</Chip>{' '}
            <Link to="/apps/$alias/changes/$proposalId" params={{ alias: app.alias, proposalId: id }}>
              {app.name}: {summary}
            </Link>{' '}
            <Time at={created_at} />
          </li>
        ))}
        {failing.map(({ id, name, app, state_since }) => (
          <li key={id}>
            <Chip tone="failure">Check</Chip>{' '}
            <Link to="/apps/$alias/checks/$checkId" params={{ alias: app.alias, checkId: id }}>
              {app.name}: {name}
            </Link>{' '}
            <Time at={state_since} />
          </li>
        ))}
        {failed.map(({ alias, name, live_deploy, deployId }) => (
          <li key={deployId}>
            <Chip tone="failure">Deploy failed</Chip>{' '}
            <span>
              <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId }}>
                {name}
              </Link>
              . {stillServes(live_deploy)}
            </span>
          </li>
        ))}
        {count > 0 && (
          <li>
            <Chip tone="running">Unread</Chip>{' '}
            <Link to="/inbox" search={{ unread: true }}>
              {unread.data?.next_cursor === null ? count : 'more than 100'} notification{count === 1 ? '' : 's'}
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}

/** Returns nothing for an app whose latest deploy did not fail. */
function failedDeploy({ latest_deploy: latest, ...app }: App) {
  return latest?.state === 'failed' ? [{ ...app, deployId: latest.id }] : []
}
