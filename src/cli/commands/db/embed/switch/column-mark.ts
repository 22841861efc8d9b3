import { z } from 'zod'

/** The vectors of a column, as its comment in the database records them, so that a later run finds the column again. */
const Mark = z.object({ model: z.string(), text: z.array(z.string()).optional() })
export type Mark = z.output<typeof Mark>

const PREFIX = 'svc vectors: '

/** Reads the mark out of a comment. Returns undefined if there is none. */
export function readMark(comment: string | null): Mark | undefined {
  const line = comment?.split('\n').find((each) => each.startsWith(PREFIX))
  if (line === undefined) return undefined
  try {
    return Mark.parse(JSON.parse(line.slice(PREFIX.length)))
  } catch {
    return undefined
  }
}

/** Puts the mark into a comment and leaves the lines of other people. */
export function writeMark(comment: string | null, mark: Mark): string {
  const others = (comment ?? '').split('\n').filter((line) => line !== '' && !line.startsWith(PREFIX))
  return [...others, `${PREFIX}${JSON.stringify(mark)}`].join('\n')
}
