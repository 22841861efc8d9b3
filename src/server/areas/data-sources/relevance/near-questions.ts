/** A question that was made from the text of a row. */
export type NearQuestion = { readonly row: number; readonly text: string }

/** The part of a text that one question is about. A longer text answers many questions, each by a few of its sentences. */
const PASSAGE_WORDS = 40
const MIN_WORDS = 2
const MAX_FRAGMENT_WORDS = 7
const MAX_SALIENT_WORDS = 4
/** Beginnings that people put around the words that matter. */
const FRAMES = ['', 'how do I', 'what is', 'is there something for', 'I need', 'where can I find'] as const

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Makes `count` questions from the texts of rows, each from a random place of its row: in turn some words in a row, and
 * the rarest words of the place with or without the beginning of a question. A row gives several if there are fewer rows.
 * Rows with less than two words give none.
 */
export function makeNearQuestions(texts: readonly string[], count: number, random: () => number): NearQuestion[] {
  const rows = texts.map(wordsOf).map((words, row) => ({ row, words }))
  const usable = rows.filter(({ words }) => words.length >= MIN_WORDS)
  if (usable.length === 0) return []
  const rarity = rarityIn(rows.map(({ words }) => words))
  const below = (limit: number) => Math.floor(random() * limit)
  return Array.from({ length: count }, (_, n) => {
    const { row, words } = usable[n % usable.length]!
    const from = below(Math.max(1, words.length - PASSAGE_WORDS + 1))
    const passage = words.slice(from, from + PASSAGE_WORDS)
    const turn = n + Math.floor(n / usable.length)
    return { row, text: turn % 2 === 0 ? fragmentOf(passage, below) : framed(salientOf(passage, rarity, below), below) }
  })
}

type Below = (limit: number) => number

function fragmentOf(words: readonly string[], below: Below): string {
  const length = Math.min(words.length, MIN_WORDS + 1 + below(MAX_FRAGMENT_WORDS - MIN_WORDS))
  const from = below(words.length - length + 1)
  return words.slice(from, from + length).join(' ')
}

/** The rarest words in the order of the text. */
function salientOf(words: readonly string[], rarity: (word: string) => number, below: Below): string {
  const count = MIN_WORDS + below(MAX_SALIENT_WORDS - MIN_WORDS + 1)
  const distinct = [...new Set(words)]
  const rarest = new Set(distinct.toSorted((a, b) => rarity(b) - rarity(a)).slice(0, count))
  return distinct.filter((word) => rarest.has(word)).join(' ')
}

function framed(words: string, below: Below): string {
  return `${FRAMES[below(FRAMES.length)]} ${words}`.trim()
}

function wordsOf(text: string): string[] {
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

/** Rare words say more of a subject than common ones. Numbers say little, and neither do single letters. */
function rarityIn(rows: readonly (readonly string[])[]): (word: string) => number {
  const counts = new Map<string, number>()
  for (const words of rows)
    for (const word of new Set(words.map((each) => each.toLowerCase()))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return (word) => (/^\p{N}+$|^.$/u.test(word) ? 0 : 1 / (counts.get(word.toLowerCase()) ?? 1))
}
