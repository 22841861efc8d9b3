import type { ReactNode } from 'react'

/** What is shown in place of a list without entries: what it would show, and the one next step. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
