const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Chooses by `Accept-Encoding` (RFC 9110 section 12.5.3). Undefined means that the file is sent as it is. */
export function chooseEncoding(accepted: string | null): Encoding | undefined {
  const weights = new Map((accepted ?? '').split(',').map(parseCoding))
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0
  const best = Math.max(...ENCODINGS.map(weightOf))
  return best > 0 ? ENCODINGS.find((encoding) => weightOf(encoding) === best) : undefined
}

function parseCoding(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return [name, Number.isFinite(weight) ? weight : 0]
}
