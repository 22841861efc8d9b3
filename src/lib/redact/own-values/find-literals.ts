import type { Range } from '../ranges.ts'

export type Literal = {
  readonly text: string
  /** Found only between characters that are neither letters nor digits. */
  readonly isWord?: boolean
  /** The characters beside it contain bits of it, as in Base64. */
  readonly isWidened?: boolean
}

/**
 * The first characters of a longer literal that are searched for; as many more are hidden as agree. So the search needs
 * little memory, and a value that was cut is found too.
 */
const SEARCHED_CHARACTERS = 48

type Node = {
  readonly next: Map<number, Node>
  readonly depth: number
  /** The node of the longest other beginning of a literal that the text so far ends with. */
  fallback: Node | undefined
  /** The literals that end here, or that begin with the characters up to here. */
  readonly literals: Literal[]
  /** The nearest node on the way of fallbacks that has literals. */
  shorter: Node | undefined
}

/**
 * Returns a search for all of the literals at once, after Aho and Corasick. It takes time that grows with the length of
 * the text alone, whatever the literals and the text are.
 */
export function createLiteralSearch(literals: readonly Literal[]): (text: string) => Range[] {
  const root = buildTree(literals)
  return (text) => {
    const found: [start: number, end: number][] = []
    let node = root
    for (let at = 0; at < text.length; at++) {
      node = step(root, node, text.charCodeAt(at))
      for (let hit = hasLiterals(node); hit; hit = hit.shorter) {
        const start = at + 1 - hit.depth
        const last = found.at(-1)
        const isCovered = last !== undefined && start < last[1]
        const range = rangeOf(text, hit, start, isCovered)
        if (!range) continue
        if (isCovered) last.splice(0, 2, Math.min(last[0], range[0]), Math.max(last[1], range[1]))
        else found.push([...range])
        // Shorter ones that end at the same place are part of it.
        break
      }
    }
    return found
  }
}

function hasLiterals(node: Node): Node | undefined {
  return node.literals.length > 0 ? node : node.shorter
}

function step(root: Node, from: Node, code: number): Node {
  for (let node: Node | undefined = from; node; node = node.fallback) {
    const next = node.next.get(code)
    if (next) return next
  }
  return root
}

function buildTree(literals: readonly Literal[]): Node {
  const root = newNode(0)
  for (const literal of literals) {
    let node = root
    for (let at = 0; at < Math.min(literal.text.length, SEARCHED_CHARACTERS); at++) {
      const code = literal.text.charCodeAt(at)
      const next = node.next.get(code) ?? newNode(at + 1)
      node.next.set(code, next)
      node = next
    }
    // A whole word is found wherever the same literal without this condition is.
    if (node === root || (literal.isWord && node.literals.length > 0)) continue
    if (node.literals[0]?.isWord) node.literals.length = 0
    node.literals.push(literal)
  }
  linkFallbacks(root)
  return root
}

function newNode(depth: number): Node {
  return { next: new Map(), depth, fallback: undefined, literals: [], shorter: undefined }
}

/** Level by level, because the fallback of a node is nearer to the root than the node. */
function linkFallbacks(root: Node): void {
  let level = [root]
  while (level.length > 0) {
    const nextLevel: Node[] = []
    for (const parent of level) {
      for (const [code, node] of parent.next) {
        node.fallback = parent === root ? root : step(root, parent.fallback!, code)
        node.shorter = hasLiterals(node.fallback)
        nextLevel.push(node)
      }
    }
    level = nextLevel
  }
}

/** Returns undefined if none of the literals of the node is there: all are words, and the text has a longer word. */
function rangeOf(text: string, { literals, depth }: Node, start: number, isCovered: boolean): Range | undefined {
  const [first] = literals
  if (first!.isWord) return isWholeWord(text, start, start + depth) ? [start, start + depth] : undefined
  // A literal that begins inside another one is not compared further, so that a text of one repeated letter takes no longer.
  const lengths = isCovered ? [depth] : literals.map((literal) => commonLength(text, start, literal.text, depth))
  const end = start + Math.max(...lengths)
  return first!.isWidened ? widened(text, start, end) : [start, end]
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text.charAt(start - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(end))
}

function commonLength(text: string, start: number, literal: string, from: number): number {
  let length = from
  while (length < literal.length && text.charCodeAt(start + length) === literal.charCodeAt(length)) length++
  return length
}

function widened(text: string, start: number, end: number): Range {
  const isPart = (at: number) => /[\w+/=-]/.test(text.charAt(at))
  return [start > 0 && isPart(start - 1) ? start - 1 : start, isPart(end) ? end + 1 : end]
}
