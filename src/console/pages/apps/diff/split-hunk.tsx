import { Code, type HunkProps } from './code.tsx'
import { pairLines } from './pair-lines.ts'
import type { Line } from './parse-patch.ts'

export function SplitHunk({ hunk, pieces }: HunkProps) {
  return pairLines(hunk.lines).map(({ left, right }) => (
    <tr key={`${left?.before} ${right?.after}`}>
      <Half line={left} number={left?.before} pieces={left ? pieces?.get(left) : undefined} />
      <Half line={right} number={right?.after} pieces={right ? pieces?.get(right) : undefined} />
    </tr>
  ))
}

type HalfProps = { line: Line | null; number: number | null | undefined; pieces: Parameters<typeof Code>[0]['pieces'] }

function Half({ line, number, pieces }: HalfProps) {
  return (
    <>
      <td className={`line-number ${line?.kind ?? 'none'}`}>{number}</td>
      {line ? <Code line={line} pieces={pieces} /> : <td className="code none" />}
    </>
  )
}
