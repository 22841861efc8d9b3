import { useId } from 'react'

/** Returns an id that is safe within `url(#…)`. */
export function usePatternId(): string {
  return `pattern-${useId().replaceAll(/[^\w-]/g, '')}`
}

/** Stripes across a bar, so that it differs from its neighbours without colour. */
export function StripePattern({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        className="stripes"
        width={6}
        height={6}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(-45)"
      >
        <line x1={0} x2={0} y1={0} y2={6} />
      </pattern>
    </defs>
  )
}

/** The neutral hatching of what nobody knows. */
export function HatchPattern({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        className="hatch"
        width={8}
        height={8}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width={8} height={8} />
        <line x1={0} x2={0} y1={0} y2={8} />
      </pattern>
    </defs>
  )
}
