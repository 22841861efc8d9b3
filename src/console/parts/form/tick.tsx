import type { ReactNode } from 'react'
import { useField } from './form-fields.ts'

export function Tick({
  name,
  className = 'tick',
  children,
}: {
  name: string
  className?: string
  children: ReactNode
}) {
  const { isTicked, onChange } = useField(name)
  return (
    <label className={className}>
      <input type="checkbox" checked={isTicked} onChange={(event) => onChange?.(event.currentTarget.checked)} />
      {children}
    </label>
  )
}
