import { Code, type HunkProps } from './code.tsx'
import type { Line } from './parse-patch.ts'

const SIGNS: Record<Line['kind'], string> = { same: ' ', removed: '−', added: '+' }

export function UnifiedHunk({ hunk, pieces }: HunkProps) {
  return hunk.lines.map((line) => (
    <tr key={`${line.before} ${line.after}`} className={line.kind}>
      <td className="line-number before">{line.before}</td>
      <td className="line-number">{line.after}</td>
      <td className="sign">{SIGNS[line.kind]}</td>
      <Code line={line} pieces={pieces?.get(line)} />
    </tr>
  ))
}
