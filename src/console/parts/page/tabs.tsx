import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** The parts of a page that have addresses of their own. */
export function Tabs({ label, items }: { label: string; items: readonly { label: string; to: string }[] }) {
  const tabs = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another tab
  useEffect(() => {
    tabs.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  return (
    <nav ref={tabs} className="tabs" aria-label={label}>
      {items.map((item) => (
        <Link key={item.to} to={item.to} activeOptions={{ exact: true, includeSearch: false }}>
          {item.label}
        </Link>
      ))}
    </nav>
  )
}
