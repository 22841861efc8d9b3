import { Link, type LinkProps } from '@tanstack/react-router'

/** The parts of a page that have addresses of their own. */
export function Tabs({ label, items }: { label: string; items: readonly { label: string; link: LinkProps }[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {items.map((item) => (
        <Link key={item.label} {...item.link} activeOptions={{ exact: true, includeSearch: false }}>
          {item.label}
        </Link>
      ))}
    </nav>
  )
}
