import { createHash } from 'node:crypto'

/** A file of the measured tree. */
export type TreeFile = { readonly path: string; readonly content: Buffer; readonly sha256: string }

const FILES = 200
const TOTAL_BYTES = 815_000
const CHANGED_FILES = 3

/** Makes the tree of a revision: 200 files of 815 KB of text, of which three differ from the revision before. */
export function makeTree(revision: number): TreeFile[] {
  return Array.from({ length: FILES }, (_, n) => makeFile(n, lastChange(n, revision)))
}

/** Returns the files that differ from the revision before. */
export function changedFiles(revision: number): TreeFile[] {
  return makeTree(revision).filter((_, n) => revision === 0 || lastChange(n, revision) === revision)
}

/** Returns the last revision that changed a file. Each revision changes the next three. */
function lastChange(file: number, revision: number): number {
  for (let at = revision; at > 0; at--) {
    const first = (at * CHANGED_FILES) % FILES
    if (file >= first && file < first + CHANGED_FILES) return at
  }
  return 0
}

function makeFile(n: number, version: number): TreeFile {
  const path = `src/area${n % 10}/part${n % 4}/file${n}.ts`
  const size = Math.round((TOTAL_BYTES / FILES) * (0.2 + (1.6 * n) / (FILES - 1)))
  const lines: string[] = []
  for (let length = 0, line = 0; length < size; line++) {
    const digest = createHash('sha256')
      .update(`${n} ${line === 0 ? version : 0} ${line}`)
      .digest('base64')
    const text = `export const value${line} = '${digest}'\n`
    lines.push(text)
    length += text.length
  }
  const content = Buffer.from(lines.join('').slice(0, size))
  return { path, content, sha256: createHash('sha256').update(content).digest('hex') }
}
