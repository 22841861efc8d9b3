import { BOTTOM_PX, LEFT_PX, NAMES_PX, TimeAxis, TOP_PX, ValueAxis } from './axes.tsx'
import { Chart, type ChartProps } from './chart.tsx'
import { linePath, type Point, spreadLabels } from './line-path.ts'
import { Marks } from './marks.tsx'
import { HatchPattern, usePatternId } from './patterns.tsx'
import { Plot } from './plot.tsx'
import { scaleTop } from './scale.ts'

/** Null where the value is not known or there is none. */
type Line = { readonly label: string; readonly values: readonly (number | null)[] }

type Props = ChartProps & {
  /** One for each point in time. */
  labels: readonly string[]
  lines: readonly Line[]
  /** Whether something happened at the point although its values are not known. It is hatched. */
  isUnknown: readonly boolean[]
  format: (value: number) => string
}

const HEIGHT = 120
const LABEL_GAP = 14
/** Points that are nearer to each other are not drawn, only the line through them. */
const MIN_DISTANCE_PX = 8

/** Lines over time, each named at its end, with the same numbers as a table. */
export function Lines({ title, axis, summary, ticks, marks = [], labels, lines, isUnknown, format }: Props) {
  const hatch = usePatternId()
  const top = scaleTop(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const textOf = (value: number | null | undefined, index: number) =>
    value === null || value === undefined ? (isUnknown[index] ? 'unknown' : 'none') : format(value)
  const numbers = {
    heads: ['When', ...lines.map(({ label }) => label)],
    rows: labels.map((label, row) => [label, ...lines.map(({ values }) => textOf(values[row], row))]),
  }
  const spoken = lines.map(
    ({ label, values }) =>
      `${label}: ${labels.map((when, index) => `${when} ${textOf(values[index], index)}`).join(', ')}`,
  )
  return (
    <Chart title={title} axis={axis} numbers={numbers}>
      <Plot label={summary ?? spoken.join('. ')} height={TOP_PX + HEIGHT + BOTTOM_PX}>
        {(width) => {
          const right = width - NAMES_PX
          const distance = (right - LEFT_PX) / Math.max(labels.length, 1)
          const xOf = (index: number) => LEFT_PX + distance * (index + 0.5)
          const placed = lines.map(({ label, values }) => ({
            label,
            values,
            points: values.map((value, index) => (value === null ? null : { x: xOf(index), y: yOf(value, top) })),
          }))
          return (
            <>
              <HatchPattern id={hatch} />
              {isUnknown.map(
                (unknown, index) =>
                  unknown && (
                    <rect
                      key={xOf(index)}
                      fill={`url(#${hatch})`}
                      x={xOf(index) - distance / 2}
                      y={TOP_PX}
                      width={distance}
                      height={HEIGHT}
                    >
                      <title>{`${labels[index]}: unknown`}</title>
                    </rect>
                  ),
              )}
              <ValueAxis top={top} left={LEFT_PX} right={right} height={HEIGHT} format={format} />
              <Marks marks={marks} left={LEFT_PX} distance={distance} top={TOP_PX} height={HEIGHT} />
              {placed.map((line, place) => (
                <LinePoints
                  key={line.label}
                  {...{ ...line, place, labels, format }}
                  isDense={distance < MIN_DISTANCE_PX}
                />
              ))}
              <Names lines={placed} x={right + 6} />
              <TimeAxis labels={ticks ?? labels} xOf={xOf} width={distance * labels.length} y={TOP_PX + HEIGHT + 16} />
            </>
          )
        }}
      </Plot>
    </Chart>
  )
}

type PlacedLine = Line & { readonly points: readonly (Point | null)[] }
type PointsProps = PlacedLine & {
  place: number
  labels: readonly string[]
  isDense: boolean
  format: (value: number) => string
}

/** A point that cannot be seen can be pointed at. One without neighbours is always seen, because no line goes there. */
function LinePoints({ label, values, points, place, labels, isDense, format }: PointsProps) {
  const isHidden = (index: number) => isDense && Boolean(points[index - 1] ?? points[index + 1])
  return (
    <g className={`line-${place + 1}`}>
      <path d={linePath(points)} />
      {points.map(
        (point, index) =>
          point && (
            <circle key={point.x} className={isHidden(index) ? 'unseen' : undefined} cx={point.x} cy={point.y} r={2.5}>
              <title>{`${labels[index]}: ${label} ${format(values[index]!)}`}</title>
            </circle>
          ),
      )}
    </g>
  )
}

/** Names each line beside its last point, so that no legend is needed. */
function Names({ lines, x }: { lines: readonly PlacedLine[]; x: number }) {
  const ends = lines.map(({ points }) => points.findLast((point) => point !== null)?.y ?? TOP_PX + HEIGHT)
  const ys = spreadLabels(ends, LABEL_GAP, TOP_PX + HEIGHT)
  return lines.map(({ label }, place) => (
    <text key={label} className="axis strong" x={x} y={ys[place]! + 4}>
      {label}
    </text>
  ))
}

function yOf(value: number, top: number): number {
  return TOP_PX + HEIGHT - (value / top) * HEIGHT
}
