import type { ReactNode } from 'react'
import { Chip } from '#console/parts/list/chip.tsx'

/** One step of the guide. What is done is only named. */
export function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li>
      <h3>
        {title} {isDone && <Chip tone="success">Done</Chip>}
      </h3>
      {!isDone && children}
    </li>
  )
}
