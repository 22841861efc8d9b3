import { cutVisible } from '#console/parts/text/visible-text.tsx'
import type { Piece } from './highlight.ts'

type VisiblePiece = { readonly text: string; readonly className: string | undefined; readonly start: number }

/**
 * Joins the colours of a line with the codes of what cannot be seen in it. The codes are found in the whole line,
 * because whether a blank is seen depends on what follows it.
 */
export function showPieces(line: string, pieces: readonly Piece[]): VisiblePiece[] {
  const ends = endsOf(pieces)
  return cutVisible(line).flatMap((part) =>
    part.isCode
      ? [{ text: part.text, className: 'invisible', start: part.start }]
      : colour(line, ends, part.start, part.start + part.text.length),
  )
}

type End = { readonly type: string | null; readonly end: number }

function colour(line: string, ends: readonly End[], start: number, until: number): VisiblePiece[] {
  const shown: VisiblePiece[] = []
  for (let from = start; from < until; ) {
    const piece = ends.find(({ end }) => end > from)
    const to = Math.min(piece?.end ?? until, until)
    shown.push({ text: line.slice(from, to), className: piece?.type ? `token ${piece.type}` : undefined, start: from })
    from = to
  }
  return shown
}

function endsOf(pieces: readonly Piece[]): End[] {
  let end = 0
  return pieces.map(({ type, text }) => {
    end += text.length
    return { type, end }
  })
}
