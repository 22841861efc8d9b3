import { Outlet, useRouterState } from '@tanstack/react-router'
import SearchIcon from 'lucide-react/icons/search'
import { useEffect, useRef, useState } from 'react'
import { ConnectionBanner } from './connection-banner.tsx'
import { Finding, useFinding } from './finding.tsx'
import { Sidebar } from './sidebar.tsx'
import { SupportBanner } from './support-banner.tsx'
import { UnreadCount } from './unread-count.tsx'

/** The frame of every page: the sidebar on wide screens, a drawer on narrow ones, and the page itself. */
export function Frame() {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const menu = useRef<HTMLButtonElement>(null)
  const isFirst = useRef(true)
  const finding = useFinding()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes the drawer and moves the focus
  useEffect(() => {
    setOpen(false)
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path])
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <button
          type="button"
          className="button quiet"
          ref={menu}
          aria-expanded={isOpen}
          aria-controls="sidebar"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
          <UnreadCount />
        </button>
        <span className="brand">svc</span>
        <button type="button" className="button quiet" aria-label="Search" onClick={finding.onSearch}>
          <SearchIcon className="icon" />
        </button>
      </header>
      <Sidebar
        isOpen={isOpen}
        onSearch={finding.onSearch}
        onShortcuts={finding.onList}
        onClose={() => {
          setOpen(false)
          menu.current?.focus()
        }}
      />
      <div className="content">
        <ConnectionBanner />
        <SupportBanner />
        <main id="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Finding of={finding} />
    </div>
  )
}
