import { useEffect, useRef } from 'react'
import type { SlimSource } from '#contract/data-sources/sources.ts'

export function SourceList({ items }: { items: SlimSource[] }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section aria-labelledby="sources">
      <h2 id="sources" ref={heading} tabIndex={-1}>
        Data sources you may ask <span className="count">{items.length}</span>
      </h2>
      {items.length === 0 ? <NoSources /> : <ul className="sources">{items.map(toCard)}</ul>}
    </section>
  )
}

function NoSources() {
  return (
    <p className="empty">
      There are none yet. An admin of your organization can expose one to your role, or give you the role it needs.
    </p>
  )
}

function toCard({ id, name, min_role, filters, description }: SlimSource) {
  const columns = Object.entries(filters)
  return (
    <li key={id}>
      <h3>{name}</h3>
      <p className="facts">
        <code>{id}</code> · {min_role} and up
      </p>
      {description && <p>{description}</p>}
      {columns.length > 0 && (
        <p className="facts">
          Filters:{' '}
          {columns.map(([column, type]) => (
            <code key={column} className="chip">{`${column}: ${type}`}</code>
          ))}
        </p>
      )}
    </li>
  )
}
