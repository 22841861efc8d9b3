import { Link, type LinkProps } from '@tanstack/react-router'

/** The pages above this one, from the outermost. */
export function Trail({ items }: { items: readonly { label: string; link: LinkProps }[] }) {
  return (
    <nav className="trail" aria-label="Breadcrumbs">
      <ol>
        {items.map((item) => (
          <li key={item.label}>
            <Link {...item.link}>{item.label}</Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
