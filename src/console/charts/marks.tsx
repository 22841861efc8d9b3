/** A moment that explains a change of the values. `place`: how many points it is after the first one. */
export type ChartMark = { readonly id: string; readonly label: string; readonly place: number }

type Props = { marks: readonly ChartMark[]; left: number; distance: number; top: number; height: number }

/** Lines across a chart with a triangle at their foot, so that they differ from its values without colour. */
export function Marks({ marks, left, distance, top, height }: Props) {
  return marks.map(({ id, label, place }) => {
    const x = Math.round(left + place * distance)
    const foot = top + height
    return (
      <g key={id} className="mark">
        <line x1={x} x2={x} y1={top} y2={foot} />
        <path d={`M${x - 4} ${foot + 5}L${x} ${foot - 1}L${x + 4} ${foot + 5}Z`} />
        <title>{label}</title>
      </g>
    )
  })
}
