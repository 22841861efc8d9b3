import { MAX_PATH_BYTES } from '#contract/apps/revisions.ts'

const MAX_SEGMENTS = 64
/** Longest name of a file that common file systems store. */
const MAX_SEGMENT_BYTES = 255

/** Control characters, line and paragraph separators, and characters that reverse the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Returns why a path cannot be the path of a file of a revision, or undefined if it can. */
export function findPathFault(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (!path.isWellFormed() || path.includes('\ufffd')) return 'must be valid UTF-8'
  if (UNPRINTABLE.test(path)) return 'must not contain control characters or characters that change the text direction'
  if (path.includes('\\')) return 'must be separated by /, not by \\'
  if (path.startsWith('/')) return 'must be relative, not begin with /'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `must have at most ${MAX_PATH_BYTES} bytes`
  const segments = path.split('/')
  if (segments.length > MAX_SEGMENTS) return `must have at most ${MAX_SEGMENTS} folders`
  return segments.map(findSegmentFault).find((fault) => fault !== undefined)
}

function findSegmentFault(segment: string): string | undefined {
  if (segment === '') return 'must not contain an empty segment (// or a / at the end)'
  if (segment === '.' || segment === '..') return `must not contain the segment ${segment}`
  // Its configuration can name commands that git runs, and it holds the history and often credentials.
  if (segment.toLowerCase() === '.git') return 'must not be in a .git folder; leave it out'
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `must not contain a name over ${MAX_SEGMENT_BYTES} bytes`
  return undefined
}
