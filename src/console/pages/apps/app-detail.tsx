import type { ReactNode } from 'react'
import { Page } from '#console/parts/page/page.tsx'
import { Trail } from '#console/parts/page/trail.tsx'
import { useAlias } from './use-alias.ts'

/** Parts of an app whose pages lead to further pages, with their addresses. */
const PARTS = {
  Deploys: '/apps/$alias/deploys',
  Checks: '/apps/$alias/checks',
  Tickets: '/apps/$alias/tickets',
  Pipelines: '/apps/$alias/pipelines',
  Maintenance: '/apps/$alias/maintenance',
  Changes: '/changes',
} as const

type Props = { title: string; section: keyof typeof PARTS; acts?: ReactNode; children: ReactNode }

/** One thing inside an app: a deploy, a ticket, a proposal. */
export function AppDetail({ title, section, acts, children }: Props) {
  const alias = useAlias()
  const trail = [
    { label: 'Apps', link: { to: '/apps' } },
    { label: alias, link: { to: '/apps/$alias', params: { alias } } },
    { label: section, link: { to: PARTS[section], params: { alias } } },
  ] as const
  return (
    <Page title={title} acts={acts} trail={<Trail items={trail} />}>
      {children}
    </Page>
  )
}
