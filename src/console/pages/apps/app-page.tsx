import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '#console/parts/page/page.tsx'
import { Tabs } from '#console/parts/page/tabs.tsx'
import { Trail } from '#console/parts/page/trail.tsx'
import { useApp } from './use-app.ts'

const BUILDER_TABS = [
  ['Overview', '/apps/$alias'],
  ['Deploys', '/apps/$alias/deploys'],
  ['Logs', '/apps/$alias/logs'],
  ['Checks', '/apps/$alias/checks'],
  ['Tickets', '/apps/$alias/tickets'],
  ['Pipelines', '/apps/$alias/pipelines'],
  ['Maintenance', '/apps/$alias/maintenance'],
  ['People', '/apps/$alias/people'],
  ['Settings', '/apps/$alias/settings'],
] as const

/** Pages of an app that members without a part in it can open. */
const MEMBER_TABS: readonly string[] = ['Tickets', 'Maintenance']

type Section = (typeof BUILDER_TABS)[number][0]

/** A part of an app, with the ways to the others. */
export function AppPage({ section, acts, children }: { section: Section; acts?: ReactNode; children: ReactNode }) {
  const { alias, app, isBuilder } = useApp()
  const tabs = BUILDER_TABS.filter(([label]) => isBuilder !== false || MEMBER_TABS.includes(label))
  return (
    <Page
      title={app?.name ?? alias}
      section={section}
      acts={
        <>
          {app?.url && app.live_deploy && (
            <a className="button" href={app.url}>
              Open app
            </a>
          )}
          {acts}
        </>
      }
      trail={<Trail items={[{ label: 'Apps', link: { to: '/apps' } }]} />}
    >
      <Tabs
        label={`Parts of ${alias}`}
        items={tabs.map(([name, to]) => ({ label: name, to: to.replace('$alias', alias) }))}
      />
      {app?.state === 'deleting' && (
        <p className="banner">
          This app is being deleted. See the <Link to="/apps">other apps</Link>.
        </p>
      )}
      {children}
    </Page>
  )
}
