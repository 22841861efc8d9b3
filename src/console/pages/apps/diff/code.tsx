import type { Piece } from './highlight.ts'
import type { Hunk, Line } from './parse-patch.ts'
import { showInvisible } from './show-invisible.ts'

export type HunkProps = { hunk: Hunk; pieces: ReadonlyMap<Line, readonly Piece[]> | undefined }

/** The text of a line, coloured if the highlighter knows the language. */
export function Code({ line: { kind, text }, pieces }: { line: Line; pieces: readonly Piece[] | undefined }) {
  return (
    <td className={`code ${kind}`}>
      {pieces
        ? pieces.map((piece, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change their order
            <span key={index} className={piece.type === null ? undefined : `token ${piece.type}`}>
              {showInvisible(piece.text)}
            </span>
          ))
        : showInvisible(text)}
    </td>
  )
}
