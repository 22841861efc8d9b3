import type { z } from 'zod'
import type { countRequests } from '#contract/apps/series.ts'
import { totalText } from './overview/describe-series.ts'
import '#console/styles/request-bars.css'

export type Hours = z.output<typeof countRequests.output>['items'][number]['hours']

const WIDTH = 5
const HEIGHT = 20
/** One request among thousands can still be seen. */
const MIN_HEIGHT = 1

/** The requests of an app in each hour of the last day, with those that failed below. The page of the app has the numbers. */
export function RequestBars({ hours }: { hours: Hours }) {
  const text = totalText(hours)
  const most = Math.max(1, ...hours.map(({ requests }) => requests ?? 0))
  const heightOf = (count: number | null) => (count ? Math.max(MIN_HEIGHT, (count / most) * HEIGHT) : 0)
  return (
    <span className="request-bars">
      <svg width={hours.length * WIDTH} height={HEIGHT} role="img" aria-label={`${text} in the last day`}>
        {hours.map(({ at, requests, failed }, place) => (
          <g key={at}>
            <rect x={place * WIDTH} y={HEIGHT - heightOf(requests)} width={WIDTH - 1} height={heightOf(requests)} />
            <rect
              className="failed"
              x={place * WIDTH}
              y={HEIGHT - heightOf(failed)}
              width={WIDTH - 1}
              height={heightOf(failed)}
            />
          </g>
        ))}
        <line x1={0} x2={hours.length * WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <span>{text}</span>
    </span>
  )
}
