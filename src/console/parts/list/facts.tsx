import { Fragment, type ReactNode } from 'react'

/** Facts about a thing, by their names. A fact that is null, undefined or false is left out. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  const facts = Object.entries(of).filter(([, fact]) => fact !== null && fact !== undefined && fact !== false)
  return (
    <dl>
      {facts.map(([name, fact]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
