/** A question that was made from the text of a row. */
export type NearQuestion = { readonly row: number; readonly text: string }

/** A row with fewer words that say something is not asked about. */
const MIN_TOPICS = 2
const MIN_WORDS = 3
const MAX_WORDS = 5
/** The words that say most of what a row is about, from which those of a question are chosen. */
const TOPIC_WORDS = 8
/** Beginnings that people put around the words that matter. */
const FRAMES = ['', 'how do I', 'what is', 'is there something for', 'I need', 'where can I find'] as const

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Makes `count` questions from the texts of rows: three to five of the words that distinguish the row, with or without the
 * beginning of a question. A row gives several if there are fewer rows. Rows with less than two such words give none. Passages
 * make worse questions: those of short texts are nearer to their row than any person's question, and those of long ones
 * often do not say what they are about.
 */
export function makeNearQuestions(texts: readonly string[], count: number, random: () => number): NearQuestion[] {
  const rows = texts.map(wordsOf)
  const topicsOf = topicsIn(rows)
  const asked = rows
    .map((words, row) => ({ row, topics: topicsOf(words) }))
    .filter(({ topics }) => topics.length >= MIN_TOPICS)
  if (asked.length === 0) return []
  const below = (limit: number) => Math.floor(random() * limit)
  return Array.from({ length: count }, (_, n) => {
    const { row, topics } = asked[n % asked.length]!
    return { row, text: topicQuestion(topics, below) }
  })
}

type Below = (limit: number) => number

function topicQuestion(topics: readonly string[], below: Below): string {
  const left = [...topics]
  const count = Math.min(left.length, MIN_WORDS + below(MAX_WORDS - MIN_WORDS + 1))
  const chosen = Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]!)
  return [FRAMES[below(FRAMES.length)]!, ...topics.filter((word) => chosen.includes(word))].join(' ').trim()
}

function wordsOf(text: string): string[] {
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

/**
 * Returns the words that distinguish a row: often in it and in few others (tf-idf), in the order of the text. Numbers and
 * single letters say little.
 */
function topicsIn(rows: readonly (readonly string[])[]): (words: readonly string[]) => string[] {
  const rowsWith = countsOf(rows.flatMap((words) => [...new Set(words.map((word) => word.toLowerCase()))]))
  return (words) => {
    const counts = countsOf(words.map((word) => word.toLowerCase()))
    const weight = (word: string) => counts.get(word)! * Math.log((rows.length + 1) / rowsWith.get(word)!)
    const telling = [...counts.keys()].filter((word) => !/^\p{N}+$|^.$/u.test(word))
    const topics = new Set(telling.toSorted((a, b) => weight(b) - weight(a)).slice(0, TOPIC_WORDS))
    return telling.filter((word) => topics.has(word))
  }
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
