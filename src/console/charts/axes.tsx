import { labelStep, ticksOf } from './scale.ts'

type AxisProps = { top: number; left: number; right: number; height: number; format: (value: number) => string }

/** Lines of the values with their labels at the left. */
export function ValueAxis({ top, left, right, height, format }: AxisProps) {
  return ticksOf(top).map((tick) => {
    const y = TOP_PX + height - (tick / top) * height
    return (
      <g key={tick}>
        <line className="grid" x1={left} x2={right} y1={y} y2={y} />
        <text className="axis" x={left - 6} y={y + 4} textAnchor="end">
          {format(tick)}
        </text>
      </g>
    )
  })
}

type LabelsProps = { labels: readonly string[]; xOf: (index: number) => number; width: number; y: number }

/** Labels below the plot: as many as fit, counted from the newest. */
export function TimeAxis({ labels, xOf, width, y }: LabelsProps) {
  const step = labelStep(labels.length, width, LABEL_PX)
  return labels.map((label, index) =>
    (labels.length - 1 - index) % step === 0 ? (
      <text key={xOf(index)} className="axis" x={xOf(index)} y={y} textAnchor="middle">
        {label}
      </text>
    ) : null,
  )
}

/** Room above the highest line, for half of its label. */
export const TOP_PX = 6
/** Room at the left for the labels of the values. */
export const LEFT_PX = 48
/** Room at the right for half of the last label of the time. */
export const RIGHT_PX = 16
/** Room at the right for the names of lines. */
export const NAMES_PX = 40
/** Room below the plot for the labels of the time. */
export const BOTTOM_PX = 22
const LABEL_PX = 52
