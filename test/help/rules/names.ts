import { type ParserPlugin, parse } from '@babel/parser'
import type { SourceFile } from './layers.ts'

/** Participles of which nobody can tell what value they hold. */
const VALUE = /^(?:wanted|made|kept|known|told|said)$/
/** Types named after something that was done to their value. */
const TYPE = /^(?:Asked|Shown|Given)(?:[A-Z]|$)|^[A-Z]\w*(?:Asked|Shown|Given)$|^(?:Wanted|Made|Kept|Known|Told|Said)$/
const LIMIT = /^(?:MOST|LEAST|LONGEST)(?:_|$)/
const COMMENT = /^[*\s]*(Says|Tells|What)\b/
const FILE = /-words(?:\.test)?\.tsx?$/

type Place = { readonly line: number }
type Node = { readonly type: string; readonly loc: { readonly start: Place; readonly end: Place } }
type Parent = Node & { readonly computed?: boolean; readonly shorthand?: boolean }

/**
 * Returns every name and comment that CONTRIBUTING.md rules out under "Words we do not use". A name is reported once for
 * each file. Keys of object literals are not looked at, because they can be fields of a wire format or columns.
 */
export function findBannedNames({ path, text }: SourceFile): string[] {
  const file = FILE.test(path) ? [`${path}: name the file after what it returns, not after its words`] : []
  if (!isSuspect(text)) return file
  const { program, comments } = parse(text, { attachComment: false, sourceType: 'module', plugins: pluginsFor(path) })
  const names = new Map<string, string>()
  visitNames(program as Parent, (name, line) => {
    const fault = faultOf(name)
    if (fault !== undefined && !names.has(name)) names.set(name, `${path}:${line}: ${name} ${fault}`)
  })
  return [...file, ...names.values(), ...commentFaults(path, (comments ?? []) as Comment[])]
}

const SUSPECT_NAME =
  /\b(?:wanted|made|kept|known|told|said|Wanted|Made|Kept|Known|Told|Said)\b|Asked|Shown|Given|\b(?:MOST|LEAST|LONGEST)/
const SUSPECT_COMMENT = /\/[/*][*\s]*(?:Says|Tells|What)\b/
/** Comments with lines of their own: no name is declared there. */
const WHOLE_LINES = /^[ \t]*(?:\/\/.*$|\/\*\*[\s\S]*?\*\/)/gm

/** Returns false only for a text without a fault. Nine of ten are, and parsing those too would take seconds. */
function isSuspect(text: string): boolean {
  return SUSPECT_COMMENT.test(text) || SUSPECT_NAME.test(text.replace(WHOLE_LINES, ''))
}

function pluginsFor(path: string): ParserPlugin[] {
  if (path.endsWith('.tsx')) return ['typescript', 'jsx']
  return path.endsWith('.ts') ? ['typescript'] : []
}

function faultOf(name: string): string | undefined {
  if (VALUE.test(name)) return 'does not say which value it is'
  if (TYPE.test(name)) return 'does not say what the type is'
  return LIMIT.test(name) ? 'is a limit: begin it with MAX_ or MIN_ and end it with the unit' : undefined
}

/** Calls `visit` with every name below a node but for fields of objects, in the order of the text. */
function visitNames(node: Parent, visit: (name: string, line: number) => void): void {
  for (const key in node) {
    const value: unknown = node[key as keyof Parent]
    if (typeof value !== 'object' || value === null || isField(node, key)) continue
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isNode(child)) continue
      if (child.type === 'Identifier') visit((child as Node & { name: string }).name, child.loc.start.line)
      visitNames(child, visit)
    }
  }
}

function isNode(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null && 'type' in value && 'loc' in value
}

/** Whether the child only names a field of an object: `a.known`, or `known` in `{ known: 1 }`. */
function isField({ type, computed, shorthand }: Parent, key: string): boolean {
  if (computed) return false
  if (type === 'MemberExpression' || type === 'OptionalMemberExpression') return key === 'property'
  return (type === 'ObjectProperty' || type === 'ObjectMethod') && key === 'key' && !shorthand
}

type Comment = Node & { readonly value: string }

/** Of line comments below each other only the first begins a sentence. */
function commentFaults(path: string, comments: readonly Comment[]): string[] {
  return comments.flatMap((comment, n) => {
    const word = COMMENT.exec(comment.value)?.[1]
    const before = comments[n - 1]
    const isContinued =
      comment.type === 'CommentLine' &&
      before?.type === 'CommentLine' &&
      before.loc.end.line === comment.loc.start.line - 1
    if (word === undefined || isContinued) return []
    return [
      `${path}:${comment.loc.start.line}: a comment begins with the thing it describes or a verb, not with ${word}`,
    ]
  })
}
