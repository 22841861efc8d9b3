import type { ReactNode } from 'react'

/** Replaces a list without entries: names what it would show, and the one next step. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
