/* Chooses the sections that answer a search. It uses no part of the page. guides.js finds it in `svcSearch`. */

/** How much a page counts, by its kind. */
const WEIGHTS = { guide: 1, reference: 0.65, record: 0.02 }
const SCORES = { heading: 10, title: 6, text: 1, allInHeading: 10, phrase: 8, firstSection: 4, exactHeading: 20 }
/** A word that only begins with the searched one: it may still be typed, or be another word. */
const BEGINNING = 0.6
const MAX_SCORE_OF_TEXT = 4
/** Words that every section has. */
const IGNORED = new Set(
  'a an and are be can do does for from get how i if in into is it me my of on or so svc the to use what when where which why will with'.split(
    ' ',
  ),
)

/** The words of a search. Words that are in every section are left out unless there are no others. */
function wordsOf(search) {
  const all = search
    .toLowerCase()
    .split(/[\s?!,;:"“”]+/)
    .filter(Boolean)
  const telling = all.filter((word) => !IGNORED.has(word))
  return telling.length > 0 ? telling : all
}

function escaped(word) {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Finds a word where a word begins, so that `port` is not in `report`. Its singular and plural count as the word. */
function patternsOf(word) {
  const stem = escaped(word.length > 3 ? word.replace(/(?<!s|ttp)s$/, '') : word)
  return {
    whole: new RegExp(`(?<![\\p{L}\\p{N}])${stem}(?:s|es)?(?![\\p{L}\\p{N}])`, 'giu'),
    beginning: new RegExp(`(?<![\\p{L}\\p{N}])${stem}`, 'iu'),
  }
}

function strengthIn(text, { whole, beginning }) {
  if (text.search(whole) !== -1) return 1
  return beginning.test(text) ? BEGINNING : 0
}

/** A text that says a word often is about it. */
function scoreText(text, pattern) {
  const often = 1 + Math.log2(Math.max(1, text.match(pattern.whole)?.length ?? 0))
  return strengthIn(text, pattern) * Math.min(often, MAX_SCORE_OF_TEXT)
}

/** Scores a section by how much of the words is where. Words that are nowhere in it lower the score by their part. */
function rank({ search, patterns, phrase }, { title, heading, text, kind, isFirst }) {
  const inHeading = patterns.map((pattern) => strengthIn(heading, pattern))
  const scores = patterns.map(
    (pattern, n) =>
      inHeading[n] * SCORES.heading +
      strengthIn(title, pattern) * SCORES.title +
      scoreText(text, pattern) * SCORES.text,
  )
  const found = scores.filter((score) => score > 0).length
  const sum =
    scores.reduce((one, other) => one + other, 0) +
    (inHeading.every((strength) => strength === 1) ? SCORES.allInHeading : 0) +
    (phrase?.test(heading) || phrase?.test(text) ? SCORES.phrase : 0) +
    (isFirst ? SCORES.firstSection : 0) +
    (heading.toLowerCase() === search.trim().toLowerCase() ? SCORES.exactHeading : 0)
  return { found, score: found === 0 ? 0 : sum * WEIGHTS[kind] * (found / patterns.length) ** 2 }
}

/** Returns the sections that have all words, the best first. If there are none, those that have some of them. */
function findSections(pages, search) {
  const words = wordsOf(search)
  const patterns = words.map(patternsOf)
  const inOrder = words.map(escaped).join('[^\\p{L}\\p{N}]+(?:\\p{L}+ )?')
  const phrase = words.length > 1 ? new RegExp(`(?<![\\p{L}\\p{N}])${inOrder}`, 'iu') : undefined
  const hits = pages.flatMap(({ address, title, kind, sections }) =>
    sections.map(([id, heading, text], index) => {
      const section = { address, id, title, heading, text, kind, isFirst: index === 0 }
      return { ...section, ...rank({ search, patterns, phrase }, section) }
    }),
  )
  const complete = hits.filter(({ found }) => found === words.length)
  const shown = complete.length > 0 ? complete : hits.filter(({ found }) => found > 0)
  return shown.sort((a, b) => b.score - a.score)
}

globalThis.svcSearch = { wordsOf, escaped, findSections }
