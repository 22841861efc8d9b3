const MAX_CHARACTERS = 400

/** In this order: what an earlier rule replaced, no later one reads as something else. */
const VARIABLE_PARTS: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [/\bhttps?:\/\/[^\s"'<>]{1,500}/g, '<url>'],
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\b/g, '<email>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<address>'],
  [/\b(?=[a-z_-]{0,40}\d)[a-z]{2,10}_[0-9a-z]{16,40}\b/gi, '<id>'],
  [/\b(?=[0-9a-f]{0,63}\d)[0-9a-f]{8,64}\b/gi, '<hex>'],
  // A gateway's status stays, because it says that the fault is in what the app depends on.
  [/(?<![\w<])(?!50[234]\b(?![.:]\d))[-+]?\d{1,20}(?:\.\d{1,20})?(?:ms|s|m|h|kb|mb|gb|%)?\b/gi, '<n>'],
]

/**
 * Replaces the parts of a message that differ each time it is written, so that a fault has one template. Quoted text
 * stays: in most messages it names the thing that is wrong.
 */
export function templateOf(message: string): string {
  const short = message.slice(0, MAX_CHARACTERS * 2)
  const template = VARIABLE_PARTS.reduce((text, [part, name]) => text.replace(part, name), short)
  return template.replace(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS)
}
