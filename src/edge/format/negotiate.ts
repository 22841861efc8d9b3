import { toYaml } from '#contract/core/yaml.ts'

export type Format = 'json' | 'yaml'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/
const YAML_TYPE = /^(?:application|text)\/(?:x-)?yaml$/

/** Chooses the format by `Accept`. Returns `fallback` if the header names no format we have. */
export function chooseFormat(accept: string | null, fallback: Format): Format {
  if (accept === null || accept === '*/*') return fallback
  // The header that our own clients send.
  if (accept === 'application/json') return 'json'
  for (const type of acceptedTypes(accept)) {
    if (JSON_TYPE.test(type)) return 'json'
    if (YAML_TYPE.test(type)) return 'yaml'
    if (type === '*/*') return fallback
  }
  return fallback
}

/** Whether `Accept` prefers an HTML page to the other formats we have. */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null) return false
  const first = acceptedTypes(accept).find(
    (type) => HTML_TYPE.test(type) || JSON_TYPE.test(type) || YAML_TYPE.test(type) || type === '*/*',
  )
  return first !== undefined && HTML_TYPE.test(first)
}

/** Returns the media types of `Accept`, the preferred one first. */
function acceptedTypes(accept: string): string[] {
  const types = accept.split(',').map(parseAccepted)
  types.sort((a, b) => b.quality - a.quality)
  return types.filter(({ quality }) => quality !== 0).map(({ type }) => type)
}

function parseAccepted(part: string): { type: string; quality: number } {
  const [type = '', ...params] = part.split(';').map((text) => text.trim().toLowerCase())
  const q = params.find((param) => param.startsWith('q='))
  const quality = q === undefined ? 1 : Number(q.slice(2))
  return { type, quality: Number.isFinite(quality) ? quality : 0 }
}

type Encoded = { readonly body: string; readonly type: string }

export function encode(value: unknown, format: Format): Encoded {
  const earlierEncoding = (value as Partial<Remembering> | null)?.[ENCODED]
  return earlierEncoding?.format === format ? earlierEncoding : encodeNow(value, format)
}

/** Encodes an answer that does not change any more. `encode` then returns the same for it. */
export function encodeOnce(answer: object, format: Format): Encoded {
  const encoded = { format, ...encodeNow(answer, format) }
  // Not enumerable, so that no copy of the answer has it: a copy may be changed.
  Object.defineProperty(answer, ENCODED, { value: encoded })
  return encoded
}

const ENCODED = Symbol('encoded')
type Remembering = { readonly [ENCODED]: Encoded & { readonly format: Format } }

function encodeNow(value: unknown, format: Format): Encoded {
  return format === 'json'
    ? { body: JSON.stringify(value), type: 'application/json' }
    : { body: toYaml(value), type: 'application/yaml' }
}
