import { createHash } from 'node:crypto'

const MAX_LABEL_LENGTH = 63
const HASH_LENGTH = 10
const MAX_HASHED_LABELS = 10

/**
 * Yields the labels that an app's host name may begin with, best first. The caller takes the first that is free: the
 * usual `alias--slug` can be taken by an organization whose slug differs only in what a host name cannot contain. A label
 * with a hash also replaces one that is too long or whose slug contains `--`, which would let two pairs of alias and slug
 * have one label.
 */
export function* hostLabels({ alias, slug, orgId }: { alias: string; slug: string; orgId: string }): Generator<string> {
  const cleaned = clean(slug)
  const plain = `${alias}--${cleaned}`
  if (cleaned === slug && plain.length <= MAX_LABEL_LENGTH) yield plain
  const beginning = plain.slice(0, MAX_LABEL_LENGTH - HASH_LENGTH - 1).replace(/-+$/, '')
  for (let n = 0; n < MAX_HASHED_LABELS; n++) yield `${beginning}-${hashOf(`${orgId} ${alias} ${n}`)}`
}

function clean(slug: string): string {
  const text = slug
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return text === '' ? 'org' : text
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)
}
