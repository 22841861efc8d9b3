import type { SkillName } from '#contract/skills.ts'
import type { Scope } from './agents.ts'
import { inEndingsOf, toLf } from './line-endings.ts'

type Found = { readonly start: number; readonly end: number; readonly text: string }

const ABOUT: Partial<Record<SkillName, string>> = {
  svc: 'Before you use the command-line client `svc` (data sources, managed databases, apps, functions, API tokens)',
  'svc-ai-gateway': 'Before you call the AI gateway of svc (embeddings and chat in the shape of OpenAI)',
}

/** Returns the block for AGENTS.md and GEMINI.md. The blank lines keep formatters from joining text and markers. */
export function blockOf(id: SkillName, scope: Scope): string {
  const [begin, end] = markersOf(id)
  const place = `${scope === 'user' ? '~/' : ''}.agents/skills/${id}/SKILL.md`
  const text = `${ABOUT[id]}, read \`${place}\` and follow it.\nWritten by \`svc skills install ${id}\`: run it again after an upgrade of svc, and put your own words outside the markers.`
  return [begin, '', text, '', end].join('\n')
}

function markersOf(id: SkillName): [begin: string, end: string] {
  return [`<!-- BEGIN:${id}-skill -->`, `<!-- END:${id}-skill -->`]
}

/** Finds the block. `malformed` means the markers are not one complete pair; replacing them could delete user text. */
export function findBlock(text: string, id: SkillName): Found | 'absent' | 'malformed' {
  const [begin, end] = markersOf(id)
  const [begins, ends] = [placesOf(text, begin), placesOf(text, end)]
  if (begins.length === 0 && ends.length === 0) return 'absent'
  const [[start], [last]] = [begins, ends]
  if (begins.length !== 1 || ends.length !== 1 || start! > last!) return 'malformed'
  if (!isAlone(text, start!, begin) || !isAlone(text, last!, end)) return 'malformed'
  const until = last! + end.length
  return { start: start!, end: until, text: toLf(text.slice(start, until)) }
}

/** Inserts or replaces the block. Every byte outside of it stays unchanged. */
export function putBlock(text: string, found: Found | 'absent', block: string): string {
  if (found !== 'absent') return text.slice(0, found.start) + inEndingsOf(text, block) + text.slice(found.end)
  const rest = text.replace(BYTE_ORDER_MARK, '')
  if (rest === '') return `${text}${block}\n`
  const ends = rest.endsWith('\n')
  return text + inEndingsOf(text, `${ends ? '\n' : '\n\n'}${block}${ends ? '\n' : ''}`)
}

/** The UTF-8 byte order mark as three characters, because the text is read as one character per byte. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/

function placesOf(text: string, marker: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + 1)) places.push(at)
  return places
}

function isAlone(text: string, at: number, marker: string): boolean {
  const before = text.slice(text.lastIndexOf('\n', at) + 1, at).replace(BYTE_ORDER_MARK, '')
  const newline = text.indexOf('\n', at)
  const after = text.slice(at + marker.length, newline === -1 ? undefined : newline)
  return before.trim() === '' && after.trim() === ''
}
