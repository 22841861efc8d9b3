import { Prism } from 'prism-react-renderer'
import type { Hunk, Line } from './parse-patch.ts'

export type Piece = { readonly type: string | null; readonly text: string }

/** Longer hunks stay plain: the patterns of a grammar can take very long on text that was made to fool them. */
const MAX_CHARACTERS = 20_000
const MAX_LINE_CHARACTERS = 1_000

const LANGUAGES: Record<string, string> = {
  c: 'c',
  cpp: 'cpp',
  css: 'css',
  go: 'go',
  h: 'c',
  html: 'markup',
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  json: 'json',
  jsx: 'jsx',
  kt: 'kotlin',
  md: 'markdown',
  py: 'python',
  rs: 'rust',
  sql: 'sql',
  svg: 'markup',
  swift: 'swift',
  ts: 'typescript',
  mts: 'typescript',
  tsx: 'tsx',
  xml: 'markup',
  yaml: 'yaml',
  yml: 'yaml',
}

/** Splits the lines of a hunk into pieces of the language that the file's name stands for. Undefined: shown plain. */
export function highlightHunk({ lines }: Hunk, path: string): Map<Line, readonly Piece[]> | undefined {
  const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  const grammar = language === undefined ? undefined : Prism.languages[language]
  if (!grammar || isTooLong(lines)) return undefined
  const pieces = new Map<Line, readonly Piece[]>()
  for (const left of ['added', 'removed'] as const) {
    const side = lines.filter(({ kind }) => kind !== left)
    const text = side.map((line) => line.text).join('\n')
    splitLines(flatten(Prism.tokenize(text, grammar))).forEach((line, index) => {
      pieces.set(side[index]!, line)
    })
  }
  return pieces
}

function isTooLong(lines: readonly Line[]): boolean {
  const total = lines.reduce((sum, { text }) => sum + text.length, 0)
  return total > MAX_CHARACTERS || lines.some(({ text }) => text.length > MAX_LINE_CHARACTERS)
}

type Tokens = ReturnType<typeof Prism.tokenize>

function flatten(tokens: Tokens, type: string | null = null): Piece[] {
  return tokens.flatMap((token) => {
    if (typeof token === 'string') return [{ type, text: token }]
    const { content } = token
    if (typeof content === 'string') return [{ type: token.type, text: content }]
    return flatten(Array.isArray(content) ? content : [content], token.type)
  })
}

function splitLines(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]]
  for (const { type, text } of pieces) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)!.push({ type, text: part })
    })
  }
  return lines
}
