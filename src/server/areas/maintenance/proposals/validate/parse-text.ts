import { type ParserOptions, parse } from '@babel/parser'
import { parseAllDocuments } from 'yaml'
import { endOf, type Parsed } from './has-parser.ts'

type Language = (text: string) => void

const script = (options: ParserOptions): Language => {
  return (text) => void parse(text, { attachComment: false, ...options })
}
/** Node allows `return` at the top of a CommonJS file. */
const either = { sourceType: 'unambiguous', allowReturnOutsideFunction: true } as const
const javascript = script({ ...either, plugins: ['jsx', 'decorators'] })
const typescript = script({ ...either, plugins: ['typescript', 'decorators'] })

const LANGUAGES: Readonly<Record<Parsed, Language>> = {
  js: javascript,
  jsx: javascript,
  cjs: javascript,
  mjs: script({ sourceType: 'module', plugins: ['decorators'] }),
  ts: typescript,
  cts: typescript,
  mts: script({ sourceType: 'module', plugins: ['typescript', 'decorators'] }),
  tsx: script({ ...either, plugins: ['typescript', 'jsx', 'decorators'] }),
  json: (text) => void JSON.parse(text),
  yaml: readYaml,
  yml: readYaml,
}

/** Throws if the text is no valid file of its kind, which the end of its name says. */
export function parseText(path: string, text: string): void {
  LANGUAGES[endOf(path) as Parsed](text)
}

/** Aliases are not expanded, so a small text cannot become a large value. */
function readYaml(text: string): void {
  for (const { errors } of parseAllDocuments(text)) {
    if (errors[0]) throw errors[0]
  }
}
