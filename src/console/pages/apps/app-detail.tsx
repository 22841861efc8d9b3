import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '#console/parts/page.tsx'
import { Trail } from '#console/parts/trail.tsx'
import { useAlias } from './use-alias.ts'

type Props = {
  title: string
  /** The part of the app that this belongs to. */
  section: { label: string; link: LinkProps }
  acts?: ReactNode
  children: ReactNode
}

/** One thing inside an app: a deploy, a ticket, a proposal. */
export function AppDetail({ title, section, acts, children }: Props) {
  const alias = useAlias()
  const trail = [
    { label: 'Apps', link: { to: '/apps' } },
    { label: alias, link: { to: '/apps/$alias', params: { alias } } },
    section,
  ] as const
  return (
    <Page title={title} acts={acts} trail={<Trail items={trail} />}>
      {children}
    </Page>
  )
}
