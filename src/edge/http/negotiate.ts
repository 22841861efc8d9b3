import { toYaml } from './yaml.ts'

export type Format = 'json' | 'yaml'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/
const YAML_TYPE = /^(?:application|text)\/(?:x-)?yaml$/

/** The caller's wish by `Accept`, or the operation's own format when there is none we know. */
export function chooseFormat(accept: string | null, fallback: Format): Format {
  if (accept === null || accept === '*/*') return fallback
  for (const type of wishesOf(accept)) {
    if (JSON_TYPE.test(type)) return 'json'
    if (YAML_TYPE.test(type)) return 'yaml'
    if (type === '*/*') return fallback
  }
  return fallback
}

/** Whether a page is wished for before anything else that can be had. */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null) return false
  const first = wishesOf(accept).find(
    (type) => HTML_TYPE.test(type) || JSON_TYPE.test(type) || YAML_TYPE.test(type) || type === '*/*',
  )
  return first !== undefined && HTML_TYPE.test(first)
}

/** Media types, the most wished for first. */
function wishesOf(accept: string): string[] {
  const wishes = accept.split(',').map(parseWish)
  wishes.sort((a, b) => b.quality - a.quality)
  return wishes.filter(({ quality }) => quality !== 0).map(({ type }) => type)
}

function parseWish(part: string): { type: string; quality: number } {
  const [type = '', ...params] = part.split(';').map((text) => text.trim().toLowerCase())
  const q = params.find((param) => param.startsWith('q='))
  const quality = q === undefined ? 1 : Number(q.slice(2))
  return { type, quality: Number.isFinite(quality) ? quality : 0 }
}

export function encode(value: unknown, format: Format): { body: string; type: string } {
  return format === 'json'
    ? { body: JSON.stringify(value), type: 'application/json' }
    : { body: toYaml(value), type: 'application/yaml' }
}
