import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { type App, listApps } from '#contract/apps/apps.ts'
import { countRequests } from '#contract/apps/series.ts'
import { CreateApp } from './create-app.tsx'
import { describeApp } from './deploys/deploy-state.ts'
import { type Hours, RequestBars } from './request-bars.tsx'

const columnsOf = (hoursOf: (app: App) => Hours | 'none' | undefined): readonly Column<App>[] => [
  {
    head: 'App',
    cell: ({ alias, name }) => (
      <Link to="/apps/$alias" params={{ alias }}>
        {name}
      </Link>
    ),
  },
  { head: 'State', cell: (app) => <AppState app={app} /> },
  { head: 'Last day', cell: (app) => <Requests hours={hoursOf(app)} />, isWide: true },
  { head: 'Address', cell: (app) => <Address app={app} />, isWide: true },
  {
    head: 'Latest deploy',
    cell: ({ latest_deploy }) =>
      latest_deploy ? <Time at={latest_deploy.created_at} /> : <span className="soft">none yet</span>,
  },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
]

/** The apps in which the person has a part; developers see all. */
export function AppsPage() {
  const { me } = useSession()
  const canCreate = useHasRole('developer') && !me.read_only
  const apps = usePages(listApps, { limit: 50 }, { isWatched: true })
  const hoursOf = useHours()
  const create = canCreate && <Opener label="Create app" look="main" dialog={<CreateApp />} />
  return (
    <Page title="Apps" acts={create}>
      <List
        of={apps}
        caption="Apps"
        columns={columnsOf(hoursOf)}
        keyOf={({ id }) => id}
        empty={<NoApps canCreate={canCreate} />}
      />
    </Page>
  )
}

/** Returns what was counted of an app: nothing known yet, nothing at all, or its hours. */
function useHours(): (app: App) => Hours | 'none' | undefined {
  const { data } = useCall(countRequests, {}, { poll: 'background' })
  const byApp = new Map(data?.items.map(({ app_id, hours }) => [app_id, hours]))
  return ({ id, settings: { start_command } }) => byApp.get(id) ?? (data && start_command !== null ? 'none' : undefined)
}

function Requests({ hours }: { hours: Hours | 'none' | undefined }) {
  if (hours === 'none') return <span className="soft">no requests</span>
  return hours && <RequestBars hours={hours} />
}

function NoApps({ canCreate }: { canCreate: boolean }) {
  if (!canCreate)
    return (
      <Empty title="You have no part in an app">
        <p>
          Developers of the organization create apps and can give you a part in one. You can file a ticket on any app
          whose alias you know:
        </p>
        <Copy isBlock text='svc tickets file hello "The greeting is wrong" --body "It says Hallo."' />
      </Empty>
    )
  return (
    <Empty title="No apps yet">
      <p>An app is a small service that svc builds, starts and watches. Create one here, or from its folder:</p>
      <Copy isBlock text={'svc apps create hello --start "node server.js"\nsvc apps deploy hello --dir . --follow'} />
    </Empty>
  )
}

function AppState({ app }: { app: App }) {
  return (
    <span className="row">
      {describeApp(app).map((status) => (
        <StatusChip key={status.word} of={status} />
      ))}
    </span>
  )
}

function Address({ app: { url } }: { app: App }) {
  if (url === null) return <span className="soft">none</span>
  return (
    <a href={url} rel="noreferrer">
      {url.replace(/^https?:\/\//, '')}
    </a>
  )
}
