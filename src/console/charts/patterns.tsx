import { type ReactNode, useId } from 'react'

/** Returns an id that is safe within `url(#…)`. */
export function usePatternId(): string {
  return `pattern-${useId().replaceAll(/[^\w-]/g, '')}`
}

/** Stripes across a bar, so that it differs from its neighbours without colour. */
export function StripePattern({ id }: { id: string }) {
  return <LinePattern id={id} className="stripes" size={6} degrees={-45} />
}

/** The neutral hatching of what nobody knows. */
export function HatchPattern({ id }: { id: string }) {
  return <LinePattern id={id} className="hatch" size={8} degrees={45} ground={<rect width={8} height={8} />} />
}

type Props = { id: string; className: string; size: number; degrees: number; ground?: ReactNode }

function LinePattern({ id, className, size, degrees, ground }: Props) {
  const square = { width: size, height: size, patternUnits: 'userSpaceOnUse' }
  return (
    <defs>
      <pattern id={id} className={className} {...square} patternTransform={`rotate(${degrees})`}>
        {ground}
        <line x1={0} x2={0} y1={0} y2={size} />
      </pattern>
    </defs>
  )
}
