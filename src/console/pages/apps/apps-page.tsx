import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { type App, listApps } from '#contract/apps/apps.ts'
import { Commands } from './commands.tsx'
import { CreateApp } from './create-app.tsx'
import { DeployChip } from './deploys/deploy-chip.tsx'

const COLUMNS: readonly Column<App>[] = [
  {
    head: 'App',
    cell: ({ alias, name }) => (
      <Link to="/apps/$alias" params={{ alias }}>
        {name}
      </Link>
    ),
  },
  { head: 'State', cell: (app) => <AppState app={app} /> },
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
  const apps = usePages(listApps, { limit: 50 })
  const [isCreating, setCreating] = useState(false)
  const create = canCreate && (
    <button type="button" className="button main" onClick={() => setCreating(true)}>
      Create app
    </button>
  )
  return (
    <Page title="Apps" acts={create}>
      <Loaded of={apps}>
        {(items) =>
          items.length === 0 ? (
            <NoApps canCreate={canCreate} />
          ) : (
            <>
              <Table caption="Apps" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
              <More of={apps} />
            </>
          )
        }
      </Loaded>
      {isCreating && <CreateApp onClose={() => setCreating(false)} />}
    </Page>
  )
}

function NoApps({ canCreate }: { canCreate: boolean }) {
  if (!canCreate)
    return (
      <Empty title="You have no part in an app">
        <p>
          Developers of the organization create apps and can give you a part in one. You can file a ticket on any app
          whose alias you know:
        </p>
        <Commands lines={['svc tickets file hello "The greeting is wrong" --body "It says Hallo."']} />
      </Empty>
    )
  return (
    <Empty title="No apps yet">
      <p>An app is a small service that svc builds, starts and watches. Create one here, or from its folder:</p>
      <Commands lines={['svc apps create hello --start "node server.js"', 'svc apps deploy hello --dir . --follow']} />
    </Empty>
  )
}

function AppState({ app }: { app: App }) {
  if (app.state === 'deleting') return <Chip tone="running">Being deleted</Chip>
  if (!app.latest_deploy) return <Chip tone="plain">Not deployed</Chip>
  return <DeployChip state={app.latest_deploy.state} />
}

function Address({ app: { url } }: { app: App }) {
  if (url === null) return <span className="soft">none</span>
  return (
    <a href={url} rel="noreferrer">
      {url.replace(/^https?:\/\//, '')}
    </a>
  )
}
