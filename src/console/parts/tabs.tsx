import { Link } from '@tanstack/react-router'

/** The parts of a page that have addresses of their own. */
export function Tabs({ label, items }: { label: string; items: readonly { label: string; to: string }[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {items.map((item) => (
        <Link key={item.to} to={item.to} activeOptions={{ exact: true, includeSearch: false }}>
          {item.label}
        </Link>
      ))}
    </nav>
  )
}
