import { VisibleText } from '#console/parts/text/visible-text.tsx'
import type { Piece } from './highlight.ts'
import type { Hunk, Line } from './parse-patch.ts'
import { showPieces } from './show-pieces.ts'

export type HunkProps = { hunk: Hunk; pieces: ReadonlyMap<Line, readonly Piece[]> | undefined }

/** The text of a line, coloured if the highlighter knows the language. What cannot be seen is shown as codes. */
export function Code({
  line: { kind, text, isUnended },
  pieces,
}: {
  line: Line
  pieces: readonly Piece[] | undefined
}) {
  return (
    <td className={`code ${kind}`}>
      {pieces ? (
        showPieces(text, pieces).map((piece) => (
          <span key={piece.start} className={piece.className}>
            {piece.text}
          </span>
        ))
      ) : (
        <VisibleText line={text} />
      )}
      {isUnended && <span className="invisible">no line end</span>}
    </td>
  )
}
