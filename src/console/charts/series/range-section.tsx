import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { Choice } from '#console/parts/form/choice.tsx'
import { RANGES } from './range.ts'

type Props = { title: string; range: (typeof RANGES)[number]; children: ReactNode }

/** Charts over a time that is in the address of the page, with the choice of it. */
export function RangeSection({ title, range, children }: Props) {
  const navigate = useNavigate()
  const heading = useId()
  return (
    <section aria-labelledby={heading}>
      <div className="row spread">
        <h2 id={heading}>{title}</h2>
        <Choice
          label="Time of the charts"
          isCompact
          value={range.value}
          options={RANGES}
          onChange={(value) =>
            void navigate({ to: '.', search: { within: value === '24h' ? undefined : value }, replace: true })
          }
        />
      </div>
      {children}
    </section>
  )
}
