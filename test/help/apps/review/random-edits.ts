import { seeded } from '../../seeded.ts'

/** An edit of one file, and the file as the edit leaves it. */
export type RandomEdit = {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly old: string
  readonly new: string
}

/** Characters and texts that programs show in different ways, or not at all. */
const TRICKS: readonly string[] = [
  ...Array.from(
    '\r\v\f\u001b\u007f\u0085\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17d2\u180b\u180e\u2000\u200b',
  ),
  ...Array.from(
    '\u200d\u200e\u2028\u2029\u202e\u2060\u2066\u2800\u2d7f\u3000\u3164\ufe0f\ufeff\uffa0\ufffc\ue000\u0378',
  ),
  ...Array.from(
    '\u{1107f}\u{13441}\u{16fe4}\u{1d159}\u{1d173}\u{e0041}\u{e0101}\u{10fffe}\u05d0\u0627\u{1e900}\u037e\u212b',
  ),
  'e\u0301',
  '=\u0338',
  '\u0338',
  `x${'\u0323'.repeat(6)}`,
  '\r\n',
  ' \t',
  '  ',
  ' '.repeat(61),
  '\t'.repeat(21),
  '‹U+202E›',
  '‹U+',
  '×2›',
  'a'.repeat(490),
  '日'.repeat(260),
]
/** Harmless pieces, among them some that look like parts of a diff. */
const PIECES: readonly string[] = [
  ...'total|price| = |(order)| + |\'a\'|"b"|\t|  |// naïve|日本|😀|→|é|{|}|;'.split('|'),
  ...'@@ -1 +1 @@|--- a/x|+++ b/x|\\ No newline at end of file|-|+|<b>|&amp;|%41|\\u0041|#'.split('|'),
]
const EXTENSIONS = ['txt', 'py', 'css', 'c', 'md', 'html', 'go']

/** Returns random edits, the same for the same seed. About half of them have something that a reader would not see. */
export function randomEdits(seed: number, count: number): RandomEdit[] {
  const random = seeded(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const trick = () =>
    random() < 0.5 ? pick(TRICKS) : String.fromCodePoint(Math.floor(random() * (random() < 0.5 ? 0x3000 : 0x2ffff)))
  const lineOf = (tricks: number) =>
    Array.from({ length: Math.floor(random() * 7) }, () => (random() < tricks ? trick() : pick(PIECES)))
      .join('')
      .replaceAll(/[\n\0]/g, ' ')
      .toWellFormed()
  const oneEdit = (index: number): RandomEdit => {
    const end = random() < 0.3 ? '\r\n' : '\n'
    const baseTricks = random() < 0.5 ? 0.1 : 0
    const lines = Array.from({ length: 3 + Math.floor(random() * 12) }, (_, n) => `line ${n} ${lineOf(baseTricks)}`)
    const before = lines.join(end) + (random() < 0.5 ? end : '')
    const at = Math.floor(random() * lines.length)
    const from = before.indexOf(`line ${at} `)
    // Cut at a line feed or anywhere, so that lines are joined and line ends are halved.
    const until = Math.min(before.length, from + 1 + Math.floor(random() * (random() < 0.5 ? 12 : 60)))
    const old = before.slice(from, until).toWellFormed()
    const tricks = random() < 0.6 ? 0.15 : 0
    const added = Array.from({ length: Math.floor(random() * 4) }, () => lineOf(tricks))
    const fresh = added.join(random() < 0.8 ? end : '\n') + (random() < 0.3 ? end : '')
    const after = before.slice(0, from) + fresh + before.slice(from + old.length)
    return { path: `file-${index}.${pick(EXTENSIONS)}`, before, after, old, new: fresh }
  }
  const edits: RandomEdit[] = []
  while (edits.length < count) {
    const edit = oneEdit(edits.length)
    if (isUsable(edit)) edits.push(edit)
  }
  return edits
}

/** Only edits whose old text occurs once can be staged at all. */
function isUsable({ before, old, new: fresh }: RandomEdit): boolean {
  return old !== fresh && before.indexOf(old) === before.lastIndexOf(old)
}
