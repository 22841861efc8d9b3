import { toYaml } from './yaml.ts'

export type Format = 'json' | 'yaml'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/
const YAML_TYPE = /^(?:application|text)\/(?:x-)?yaml$/

/** The caller's wish by `Accept`, or the operation's own format when there is none we know. */
export function chooseFormat(accept: string | null, fallback: Format): Format {
  if (accept === null || accept === '*/*') return fallback
  const wishes = accept.split(',').map(parseWish)
  wishes.sort((a, b) => b.quality - a.quality)
  for (const { type, quality } of wishes) {
    if (quality === 0) continue
    if (JSON_TYPE.test(type)) return 'json'
    if (YAML_TYPE.test(type)) return 'yaml'
    if (type === '*/*') return fallback
  }
  return fallback
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
