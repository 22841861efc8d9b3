import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Sidebar } from './sidebar.tsx'

/** The frame of every page: the sidebar on wide screens, a drawer on narrow ones, and the page itself. */
export function Frame() {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
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
          aria-expanded={isOpen}
          aria-controls="sidebar"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <span className="brand">svc</span>
      </header>
      <Sidebar isOpen={isOpen} onClose={() => setOpen(false)} />
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  )
}
