import { BOTTOM_PX, LEFT_PX, TimeAxis, TOP_PX, ValueAxis } from './axes.tsx'
import { Chart, type ChartProps } from './chart.tsx'
import { linePath, type Point, spreadLabels } from './line-path.ts'
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
/** Room at the right for the names of the lines. */
const RIGHT_PX = 40

/** Lines over time, each named at its end, with the same numbers as a table. */
export function Lines({ title, axis, labels, lines, isUnknown, format }: Props) {
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
      <Plot label={spoken.join('. ')} height={TOP_PX + HEIGHT + BOTTOM_PX}>
        {(width) => {
          const right = width - RIGHT_PX
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
              {placed.map((line, place) => (
                <LineMarks key={line.label} {...line} place={place} labels={labels} format={format} />
              ))}
              <Names lines={placed} x={right + 6} />
              <TimeAxis labels={labels} xOf={xOf} width={distance * labels.length} y={TOP_PX + HEIGHT + 16} />
            </>
          )
        }}
      </Plot>
    </Chart>
  )
}

type PlacedLine = Line & { readonly points: readonly (Point | null)[] }
type MarksProps = PlacedLine & { place: number; labels: readonly string[]; format: (value: number) => string }

function LineMarks({ label, values, points, place, labels, format }: MarksProps) {
  return (
    <g className={`line-${place + 1}`}>
      <path d={linePath(points)} />
      {points.map(
        (point, index) =>
          point && (
            <circle key={point.x} cx={point.x} cy={point.y} r={2.5}>
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
