import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type Props = {
  /** Describes the picture to screen readers. */
  label: string
  height: number
  children: (width: number) => ReactNode
}

/** A picture as wide as its place. It is drawn anew for each width, so that its texts keep their size on a phone. */
export function Plot({ label, height, children }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={frame} className="plot">
      <svg width={width} height={height} role="img" aria-label={label}>
        {width > 0 && children(width)}
      </svg>
    </div>
  )
}
